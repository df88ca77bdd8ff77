"""Engines and what launches programs on them."""
