"""The host in a school: the page behind nginx."""

import re
import signal
import urllib.error
import urllib.request
from urllib.parse import urljoin

import pytest


def get(address):
    """Return (status, text) of a page."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


@pytest.mark.slow
def test_the_page_is_seen_behind_nginx_and_again_after_a_restart(person, nginx):
    served = person.start("masume", "serve", "--page-port", 0, "--out", "games")
    port = served.wait_for(r"page: http://127\.0\.0\.1:(\d+)")[1]
    front = nginx(port)
    for _ in range(2):
        status, page = get(front)
        assert status == 200
        scripts = re.findall(r'<script[^>]* src="([^"]+)"', page)
        assert scripts
        for script in scripts:
            assert get(urljoin(front, script))[0] == 200
        served.stop(signal.SIGINT)
        assert get(front)[0] == 502  # nginx is there, the page is not
        served = person.start("masume", "serve", "--page-port", port, "--out", "games")
        served.wait_for("page: ")
