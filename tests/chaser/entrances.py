"""Hostile input for the readers that only CHaser has; tests/fuzz.py submits it."""

from __future__ import annotations

import masume
from masume.chaser.maps import Map
from mutations import Entrance, Sample, must, mutate_bytes


def map_file(s: Sample) -> masume.State:
    found = Map.parse(mutate_bytes(s.rng, s.game.config.start_map(s.rng.randrange(2**64)).to_text().encode()))
    must(Map.parse(found.to_text()) == found, "the map does not read back")
    return masume.load("chaser", map=found).new_state()


def samples(s: Sample) -> masume.State:
    """Sample a position whose memory of the players is corrupted."""
    size = s.game.state_size
    data = bytearray(s.state.to_bytes())
    for _ in range(s.rng.choice((0, 1, 2))):
        data[s.rng.randrange(size, len(data))] = s.rng.choice((0, 4, 5, 6, 7, 8, 12, s.rng.randrange(256)))
    state = s.game.state_from_bytes(bytes(data))
    sample = state.resample(max(0, state.current_player), s.rng.randrange(2**64))
    must(sample.information_state(sample.current_player) == state.information_state(state.current_player), "unlike")
    return sample


ENTRANCES: dict[Entrance, tuple[type[Exception], ...]] = {
    map_file: (masume.ConfigError, masume.NotationError),
    samples: (ValueError,),
}
