"""
The CPU engine: programs as native code, run by a pool of worker threads.

`job` says how a piece of work is described in memory, `pool` runs it.
"""
