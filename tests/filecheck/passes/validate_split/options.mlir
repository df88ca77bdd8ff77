// RUN: not vyre-opt %s -p 'vyre-validate-split{passes=vyre-promote-let}' 2>&1 | filecheck %s

// CHECK: error: 'vyre-promote-let' is no pass whose schedules can be proved
// CHECK: Fix: did you mean 'vyre-promote-lets'?
vyre.program @nothing [1, 1, 1] {
}
