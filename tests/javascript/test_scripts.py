"""The scripts of the page and of reports pass their unit tests, by node's runner."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from installs import BIN


def test_the_scripts_pass_their_tests():
    tests = sorted(map(str, Path(__file__).parent.glob("*.test.mjs")))
    assert tests
    node = shutil.which("node", path=BIN)  # of the extra `test`
    done = subprocess.run(
        [node, "--test", "--test-isolation=none", *tests],
        env=os.environ | {"PYTHON": sys.executable},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
