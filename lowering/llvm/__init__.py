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
- `control`, `trips`, `counting`: `scf` as blocks and phis; loops that count
- `accesses`, `invocations`: buffers, ids, copies, traps and ends
- `phases`, `grids`, `invocation_rows`: a program without barriers as a function over
  workgroups
- `clipping`, `prefixes`, `aligned_blocks`, `row_parts`, `row_loads`, `row_bounds`,
  `shifted_rows`: rows of invocations with as few comparisons, loads and registers as can be
- `loop_bounds`, `loop_versions`, `paired_trips`: loops with as few comparisons as can be
- `workgroups`: a program with workgroup barriers
- `entries`, `hosts`, `fixpoints`, `programs`: a whole schedule as one function of all
  workers
- `job`, `layout`, `context`: the words by which code and workers tell each other things
- `dividing`, `costs`, `metadata`: division of work; vectorising
- `condensing`, `forms`, `batches`: code that is the same, once
- `passes`: rewrites of schedules before they become LLVM IR
- `plans`: from a program to its IR
- `target`: `-t vyre-llvm`
"""
