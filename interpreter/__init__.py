"""
The reference engine: the meaning of a program, executed with NumPy.

It interprets the program as it is written, with all invocations in lockstep: each
operation is executed for all of them at once, on arrays with one element per invocation.
It is the oracle for every pass and every other engine, so it is written to be read:

| module | what it says |
|---|---|
| `semantics`, `integers`, `floats`, `fma` | what `arith` and `math` operations compute |
| `frames` | the values of a set of invocations |
| `control` | `scf` and regions: which invocations execute what |
| `device` | ids, accesses, variables, barriers and ends of invocations |
| `memory`, `atomics`, `subgroups` | buffers and what happens to them |
| `engine` | a dispatch: phases, orders of workgroups, traps, schedules |
| `checker`, `access_history`, `flights` | data races and other mistakes of a dispatch |
"""
