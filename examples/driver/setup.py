"""The build needs only the headers of the installed masume: the game itself comes in a capsule."""

from setuptools import Extension, setup

import masume

extension = Extension("winrate", ["winrate.c"], include_dirs=[masume.get_include()], extra_compile_args=["-O3"])
setup(ext_modules=[extension])
