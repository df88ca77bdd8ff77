"""The rules of `vyre-verify-program`, one per module."""
