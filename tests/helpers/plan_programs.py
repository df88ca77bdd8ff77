"""Programs for tests of plans and their pictures."""

from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.passes.host_plan import HostPlanPass
from vyre.tools.plan.model import Plan, plans_in

SMOOTH = """
vyre.program @smooth [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %rounds = vyre.param "rounds" : index
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  scf.for %k = %zero to %rounds step %one {
    %mine = vyre.load %a[%i] : memref<?xf32>
    %other = vyre.load %a[%next] : memref<?xf32>
    %mean = arith.addf %mine, %other : f32
    vyre.barrier grid_sync
    vyre.region "keep" {
      vyre.store %mean, %a[%i] : memref<?xf32>
    }
    vyre.barrier grid_sync
  }
}
"""

SEGMENTS = """
vyre.program @copy [4, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  %to = vyre.buffer "to" write_only binding 1 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %from[%i] : memref<?xi32>
  vyre.store %v, %to[%i] : memref<?xi32>
}
vyre.program @count [4, 1, 1] {
  %from = vyre.buffer "from" read_only binding 0 : memref<?xi32>
  %sum = vyre.buffer "sum" read_write binding 1 : memref<1xi32>
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %v = vyre.load %from[%i] : memref<?xi32>
  %old = vyre.atomic add %v, %sum[%zero] : memref<1xi32>
}
vyre.program @double [4, 1, 1] {
  %in_place = vyre.buffer "in_place" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %in_place[%i] : memref<?xi32>
  %w = arith.addi %v, %v : i32
  vyre.store %w, %in_place[%i] : memref<?xi32>
}
vyre.program @shift [4, 1, 1] {
  %from = vyre.buffer "from" read_write binding 0 may_alias [0] : memref<?xi32>
  %to = vyre.buffer "to" read_write binding 1 may_alias [0] : memref<?xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %from[%i] : memref<?xi32>
  vyre.store %v, %to[%i] : memref<?xi32>
}
"""
"""Programs for schedules."""

TABLE = """
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %sum = vyre.buffer "sum" read_write binding 2 output : memref<1xi32>
  %n = vyre.param "n" : index
  %p = vyre.param "p" : i1
  %s = vyre.scratch per_invocation : memref<?xi32>
  %t = vyre.scratch per_invocation : memref<?xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
"""


def split(text: str) -> ModuleOp:
    """The module after `vyre-host-plan`."""
    module = vyre.parse(text)
    HostPlanPass().apply(vyre.context(), module)
    return module


def plan_of(text: str) -> Plan:
    """The plan of a program that is split."""
    (plan,) = plans_in(split(text))
    return plan


def scheduled(body: str) -> Plan:
    """The plan of a schedule @p that launches programs of `SEGMENTS`."""
    text = f"vyre.schedule @p {{\n{TABLE}\n{body}\n}}\n{SEGMENTS}"
    plans = {plan.name: plan for plan in plans_in(vyre.parse(text))}
    return plans["p"]


def straight_line(segments: int) -> str:
    """A program of that many segments, each of which keeps a value for the next."""
    lines = [
        "vyre.program @line [4, 1, 1] {",
        '  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>',
        '  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>',
        "  %i = vyre.invocation_id x",
        "  %v0 = vyre.load %a[%i] : memref<?xi32>",
        "  vyre.store %v0, %b[%i] : memref<?xi32>",
    ]
    for k in range(1, segments):
        here, there = ("b", "a") if k % 2 else ("a", "b")
        lines += [
            "  vyre.barrier grid_sync",
            f"  %w{k} = vyre.load %{here}[%i] : memref<?xi32>",
            f"  %v{k} = arith.addi %w{k}, %v{k - 1} : i32",
            f"  vyre.store %v{k}, %{there}[%i] : memref<?xi32>",
        ]
    return "\n".join([*lines, "}"])
