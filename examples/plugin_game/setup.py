"""The headers come from the installed masume; Cython finds its .pxd files by itself."""

from Cython.Build import cythonize
from setuptools import Extension, setup

import masume

extension = Extension("connect_four", ["connect_four.pyx"], include_dirs=[masume.get_include()])
setup(ext_modules=cythonize([extension]))
