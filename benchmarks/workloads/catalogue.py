"""All workloads, in the order in which they are shown."""

from benchmarks.workloads import (
    bitonic_sort,
    conjugate_gradient,
    floyd_warshall,
    fused_phases,
    jacobi,
    matmul,
    prefix_sum,
    radix_pass,
    reachability,
    saxpy_chain,
)

CASES = {
    "saxpy_chain": saxpy_chain.case,
    "jacobi": jacobi.case,
    "fused_phases": fused_phases.case,
    "reachability": reachability.case,
    "prefix_sum": prefix_sum.case,
    "radix_pass": radix_pass.case,
    "conjugate_gradient": conjugate_gradient.case,
    "matmul": matmul.case,
    "floyd_warshall": floyd_warshall.case,
    "bitonic_sort": bitonic_sort.case,
}
