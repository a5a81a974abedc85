"""Batch: many games in a step."""

SUBJECT = "batch"


def test_batch(time_case):
    time_case()
