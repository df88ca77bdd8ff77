"""
Measured figures. `python -m benchmarks.run` compares the engine with its peers.

This file makes the folder a package, because xDSL installs one of the same name.
"""
