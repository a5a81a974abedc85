"""PyInstaller's hook: what a frozen program needs of masume.

Everything of masume is taken, as it finds games and their parts by name, and as files, in which it looks for them. What
an extra brings is taken only if the program imports it itself: otherwise each program would hold a torch or a Ray that
happens to be installed.
"""

import re
from importlib.metadata import packages_distributions, requires

from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


_extras = {
    _normalize(re.split(r"[^\w.-]", line)[0]) for line in requires("masume") or () if re.search(r";.*\bextra\b", line)
}
hiddenimports = collect_submodules("masume", filter=lambda name: "__pyinstaller" not in name)
excludedimports = [
    module for module, names in packages_distributions().items() if not _extras.isdisjoint(map(_normalize, names))
]
datas = collect_data_files("masume", excludes=["include", "**/*.pxd", "**/*.pyi"]) + copy_metadata("masume")
module_collection_mode = "py"
