"""The rules: functions of the table, one at a time, in C, and their slow Python implementations."""

SUBJECT = "rules"


def test_rules(time_case):
    time_case()
