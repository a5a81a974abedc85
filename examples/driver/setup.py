"""Only the headers of the installed masume are needed: the game itself comes in a capsule."""

import masume
from setuptools import Extension, setup

setup(ext_modules=[Extension("winrate", ["winrate.c"], include_dirs=[masume.get_include()], extra_compile_args=["-O3"])])
