"""The headers come from the installed masume; Cython finds its .pxd files by itself."""

import masume
from Cython.Build import cythonize
from setuptools import Extension, setup

extension = Extension("connect_four", ["connect_four.pyx"], include_dirs=[masume.get_include()], extra_compile_args=["-O3"])
setup(ext_modules=cythonize([extension]))
