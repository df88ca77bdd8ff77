"""Passes over Vyre programs that serve CPUs only, one per module."""
