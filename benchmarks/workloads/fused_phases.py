"""
300 small rules that were fused into one program, with one output for all.

Rule r writes row r of the output. It combines the facts with what rule r - 1 found at the
mirrored place, so that a barrier must stand between them. No two rules are the same: they
have one of four kinds and a number of their own. Vyre's program has the 300 phases in its
text, one after the other; peers whose loops can branch on the kind have a loop.
"""

import numpy as np

from benchmarks.workloads.case import Array, Case, Size, groups, random

RULES = 300
WIDTH = {"small": 1 << 10, "large": 1 << 16}

COMBINE = (
    ("%both = arith.addi %before, %fact : i32",),
    ("%both = arith.xori %before, %fact : i32",),
    (
        "%triple = arith.muli %before, %three : i32",
        "%both = arith.addi %triple, %fact : i32",
    ),
    ("%both = arith.minsi %before, %fact : i32",),
)


def case(size: Size) -> Case:
    width = WIDTH[size]
    facts = random(3).integers(-(1 << 30), 1 << 30, width, np.int32)
    results = np.zeros((RULES + 1, width), np.int32)
    return Case(
        workload="fused_phases",
        size=size,
        phases=RULES,
        arrays={"facts": facts, "results": results},
        numbers={},
        changed=("results",),
        expected={"results": oracle(facts)},
        grid=(groups(width, 256),),
        program=program(),
    )


def number(rule: int) -> int:
    """The number of a rule. C, OpenCL and the others compute the same."""
    return (rule * 7919) & 0xFFFF


def oracle(facts: Array) -> Array:
    results = np.zeros((RULES + 1, len(facts)), np.int32)
    for rule in range(RULES):
        before = results[rule][::-1]
        both = (
            before + facts,
            before ^ facts,
            before * np.int32(3) + facts,
            np.minimum(before, facts),
        )[rule % 4]
        results[rule + 1] = both + np.int32(number(rule))
    return results


def program() -> str:
    """Row 0 of `results` is what the first rule starts from."""
    table = f"memref<{RULES + 1}x?xi32>"
    lines = [
        "vyre.program @fused_phases [256, 1, 1] {",
        '  %facts = vyre.buffer "facts" read_only binding 0 : memref<?xi32>',
        f'  %results = vyre.buffer "results" read_write binding 1 : {table}',
        "  %one = arith.constant 1 : index",
        "  %three = arith.constant 3 : i32",
        "  %i = vyre.invocation_id x",
        "  %width = vyre.length %facts, 0 : memref<?xi32>",
        "  %is_inside = arith.cmpi ult, %i, %width : index",
        "  %last = arith.subi %width, %one : index",
        "  %mirrored = arith.subi %last, %i : index",
    ]
    for rule in range(RULES):
        lines += phase(rule)
    return "\n".join([*lines, "}", ""])


def phase(rule: int) -> list[str]:
    table = f"memref<{RULES + 1}x?xi32>"
    body = [
        f"%from = arith.constant {rule} : index",
        f"%to = arith.constant {rule + 1} : index",
        f"%number = arith.constant {number(rule)} : i32",
        f"%before = vyre.load %results[%from, %mirrored] : {table}",
        "%fact = vyre.load %facts[%i] : memref<?xi32>",
        *COMBINE[rule % 4],
        "%found = arith.addi %both, %number : i32",
        f"vyre.store %found, %results[%to, %i] : {table}",
    ]
    return [
        f'  vyre.region "rule {rule}" {{',
        "    scf.if %is_inside {",
        *(f"      {line}" for line in body),
        "    }",
        "  }",
        "  vyre.barrier grid_sync",
    ]
