"""
Programs as CUDA C++ text.

- `types`, `expressions`, `literals`, `names`: pieces of text, and how they go together
- `numbers`: what is known about integers, so that conversions can be left out
- `scalar_code`, `integers`, `comparisons`, `division`, `floats`, `functions`,
  `conversions`, `scalars`: the table of all `arith` and `math` operations
- `device_function`, `device_functions`, `half_functions`, `subgroup_functions`, `library`:
  Vyre's own device functions
- `writer`, `statements`, `values`: lines, declarations, what values are called
- `needs`, `folding`: which values are written down, and where
- `control`, `loops`, `counting`: `scf` as C++
- `accesses`, `ids`, `copies`, `subgroups`, `invocations`: buffers, ids, barriers and ends
- `pointers`, `signature`: what kernels take and declare
- `grid_protocol`, `grid_barrier`: how workgroups wait for each other
- `passes`: programs in the form in which they are written
- `kernel`, `programs`, `options`: from a program to its kernel, and how it is compiled
- `target`: `-t vyre-cuda`
"""
