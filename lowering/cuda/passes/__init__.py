"""Passes over Vyre programs that serve CUDA only, one per module."""
