"""Maps: the limits of the generator, files, and the shipped maps."""

import pytest

import masume
from masume.errors import ConfigError, NotationError
from masume.terraforming import hexes, maps
from masume.terraforming.blocks import block
from masume.terraforming.config import Config
from masume.terraforming.maps import Lcg, Map, generate


def test_only_the_low_48_bits_of_a_seed_matter():
    config = Config(radius=3)
    for seed in (0, 5, 2**48 - 1):
        assert generate(config, seed) == generate(config, seed + 2**48) == generate(config, seed + 2**60)
    assert generate(config, -1) == generate(config, 2**64 - 1) == generate(config, 2**48 - 1)
    for seed in (-(2**63) - 1, 2**64):
        with pytest.raises(ValueError, match=r"^seed: "):
            generate(config, seed)


def test_the_generator_is_uniform_where_it_draws_again():
    """Section 4.1: the last, incomplete run of values is rejected."""
    n = 2**30 + 1  # half of all draws are rejected
    rng = Lcg(3)
    found = [rng.next_int(n) for _ in range(400)]
    assert max(found) < n
    assert 150 < sum(value < n // 2 for value in found) < 250
    assert [Lcg(3).next_int(1) for _ in range(3)] == [0, 0, 0]


IMPOSSIBLE = [
    {"radius": 1, "hole_divisor": 1, "hole_cap": 1},
    {"radius": 3, "hole_divisor": 1, "hole_cap": 11},
    {"radius": 4, "hole_divisor": 1},
]


@pytest.mark.parametrize("fields", IMPOSSIBLE, ids=str)
def test_maps_that_there_are_none_of(monkeypatch, fields):
    """Section 12, 13: the error reports the number of attempts."""
    monkeypatch.setattr(maps, "MAX_ATTEMPTS", 500)
    with pytest.raises(ConfigError, match="no valid map in 500 attempts"):
        generate(Config.make("contest", **fields), 1)


@pytest.mark.parametrize(("radius", "holes"), [(1, 1), (2, 5)])
def test_homes_among_nothing_but_holes_meet_in_the_centre(radius, holes):
    """Section 4.2 taken literally: such maps are valid, because little wasteland is left."""
    its = generate(Config(radius=radius, holes_per_third=holes), 1)
    assert len(its.holes) == 3 * holes
    assert {hexes.distance(home, (0, 0)) for home in its.homes} == {1}


@pytest.mark.parametrize("radius", [1, 2, 3])
def test_a_third_of_holes_under_the_cap_is_a_map(radius):
    """Section 12, 13: below R=4 a third has fewer cells than the default cap."""
    config = Config.make("contest", radius=radius, hole_divisor=1)
    assert len(generate(config, 1).holes) == 3 * (radius * (radius + 1) - 1)


def test_every_hole_but_the_home():
    config = Config(radius=2, ruleset="contest", hole_divisor=1, map_check="none")
    assert len(generate(config, 1).holes) == 3 * 5
    count = Config(radius=2, holes_per_third=5, map_check="none")
    assert len(generate(count, 1).holes) == 3 * 5


def test_symmetry_is_told():
    """TF-25"""
    its = generate(Config(), 1)
    assert its.is_symmetric
    assert not Map(6, its.homes[::-1], its.holes).is_symmetric
    assert not Map(6, its.homes, its.holes[1:]).is_symmetric


@pytest.mark.parametrize("radius", [1, 4, 10])
def test_a_map_reads_back(radius):
    its = generate(Config(radius=radius), 9)
    assert Map.parse(its.to_text()) == its
    assert Map.parse(block(Config(radius=radius), its.variables(), 0)) == its
    assert list(its.holes) == sorted(its.holes, key=hexes.indices(radius).get)


def test_map_files(tmp_path):
    its = generate(Config(radius=2), 9)
    path = tmp_path / "my.map"
    path.write_text(its.to_text())
    assert maps.load_file(path) == {"my": its}
    path.write_text("one two")
    with pytest.raises(NotationError):
        maps.load_file(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        maps.load_file(path)


def test_shipped_maps():
    shipped = maps.load_shipped()
    assert list(shipped) == ["crater", "islet", "ridges"]
    for name, its in shipped.items():
        assert its.is_symmetric
        facts = maps.facts(name, its)
        assert facts == {
            "name": name,
            "radius": its.radius,
            "cells": len(hexes.cells(its.radius)),
            "holes": len(its.holes),
            "symmetric": True,
        }
        homes = [hexes.distance(home, (0, 0)) for home in its.homes]
        assert len(set(homes)) == 1
        for fields in ({}, {"preset": "contest"}):
            masume.load("terraforming", map=its, **fields).new_state().check()


def test_generated_starts_are_those_of_the_config():
    config = Config(radius=3)
    assert maps.generate_fields(config, 5) == {"map": generate(config, 5)}
    assert masume.load("terraforming", **maps.generate_fields(config, 5)).new_state(77).to_dict() == (
        masume.load("terraforming", radius=3).new_state(5).to_dict()
    )
