"""The folder of PyInstaller's hook for masume, which PyInstaller asks for (entry point `pyinstaller40`)."""

from pathlib import Path


def get_hook_dirs() -> list[str]:
    """Return the folders of hooks."""
    return [str(Path(__file__).parent)]
