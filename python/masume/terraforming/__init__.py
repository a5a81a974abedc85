"""Terraforming: three players settle an asteroid of hexagonal cells with robots."""
