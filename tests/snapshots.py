"""What a batch shows, copied and compared."""

FIELDS = ("planes", "scalars")  # that a batch observes by default


def snapshot(batch, rows=slice(None)):
    """Return copies of everything that a caller can read."""
    arrays = {
        "actions": batch.actions, "rewards": batch.rewards, "terminated": batch.terminated, "masks": batch.masks,
        "masks_packed": batch.masks_packed, "current_player": batch.current_player, "seeds": batch.seeds,
        "states": batch.states.view(("u1", batch.states.itemsize)), **batch.observations,
        **{f"final {name}": array for name, array in (batch.final_observations or {}).items()},
    }  # fmt: skip
    return {name: array[rows].copy() for name, array in arrays.items() if array is not None}


def assert_same(left, right):
    assert left.keys() == right.keys()
    for name in left:
        assert left[name].tobytes() == right[name].tobytes(), name
