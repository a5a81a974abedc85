"""Contests: entries, formats, matches and results, kept so that nothing that was confirmed is lost."""
