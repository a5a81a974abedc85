"""Curves as SVG."""

import itertools
import re
import xml.etree.ElementTree as ET

import pytest

from masume.render.chart import lines

MARKS = {0: "0", 1: "1"}


def test_one_curve_goes_from_edge_to_edge_without_a_name():
    drawn = lines("a < b", {"name": [(0, 0), (5, 0.5), (10, 1)]}, MARKS, ("first", "last"))
    assert ET.fromstring(drawn).tag.endswith("svg")
    assert 'points="60.0,240.0 340.0,140.0 620.0,40.0"' in drawn
    assert re.findall(r">([^<]+)</text>", drawn) == ["a &lt; b", "0", "1", "first", "last"]


def test_several_curves_are_named_and_no_name_lies_on_another():
    curves = {"three": [(0, 0), (1, 0.5)], "one": [(0, 0), (1, 0.52)], "two": [(0, 0), (1, 0.51)]}
    drawn = lines("title", curves, MARKS, ("", ""))
    names = re.findall(r'<text x="498" y="([\d.]+)" fill="(#\w+)">(\w+)</text>', drawn)
    assert [name for *_, name in names] == ["one", "two", "three"]
    heights = [float(height) for height, *_ in names]
    assert min(abs(a - b) for a, b in itertools.pairwise(heights)) >= 14
    assert len({colour for _, colour, _ in names}) == 3


def test_a_curve_of_one_point_is_drawn():
    assert 'points="60.0,140.0"' in lines("title", {"name": [(0, 0.5)]}, MARKS, ("", ""))


def test_six_curves_are_too_many():
    with pytest.raises(ValueError, match="curves: expected at most 5, got 6"):
        lines("title", {f"{k}": [(0, 0)] for k in range(6)}, MARKS, ("", ""))
