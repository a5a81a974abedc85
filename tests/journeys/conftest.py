"""What a person has: a folder named as people name theirs, and masume's commands in processes of their own.

`make test` walks the journeys with the checkout, `make slow` with a wheel that was installed as its users install it.
"""

import pytest

from installs import BIN, ROOT
from person import person_in

INSTALLED = ROOT / ".venv-installed" / "bin"  # `make .venv-installed`


@pytest.fixture(params=["checkout", pytest.param("wheel", marks=pytest.mark.slow)])
def commands(request):
    """Return the folder of the commands `masume` and `python` that the person uses."""
    if request.param == "checkout":
        return BIN
    assert (INSTALLED / "masume").exists(), "no wheel is installed: run `make .venv-installed`"
    return INSTALLED


@pytest.fixture
def person(commands, tmp_path):
    """Return a person in a new folder."""
    with person_in(tmp_path, commands) as found:
        yield found
