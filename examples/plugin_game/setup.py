"""The headers come from the installed masume; Cython finds its .pxd files by itself."""

from Cython.Build import cythonize
from setuptools import Extension, setup

import masume

engine = Extension("connect_four._engine", ["src/connect_four/_engine.pyx"], include_dirs=[masume.get_include()])
setup(ext_modules=cythonize([engine]))
