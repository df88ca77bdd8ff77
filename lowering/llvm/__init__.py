"""
Programs as LLVM IR, by llvmlite's builder.

- `types`: what each scalar type is in a register and in memory
- `half`: half precision, on machines that may have none
- `constants`: literals
- `integers`, `division`, `powers`: integer arithmetic
- `floats`: exactly rounded float arithmetic
- `functions`: functions of `math` that come from the C library
- `conversions`: from one scalar type to another
- `emitter`, `scalars`: the table of all of these by operation
- `values`: what values are in registers
- `control`, `counting`: `scf` as blocks and phis; loops that count
- `accesses`, `invocations`: buffers, ids, copies, traps and ends
- `phases`, `clipping`, `grids`: a program without barriers as a function over workgroups
- `workgroups`: a program with workgroup barriers
- `entries`, `hosts`, `passes`, `programs`: a whole schedule as one function of all workers
- `job`, `layout`, `context`: the words by which code and workers tell each other things
- `sharing`, `costs`, `metadata`: loops left to the schedule; division of work; vectorising
- `plans`: from a program to its IR
- `target`: `-t vyre-llvm`
"""
