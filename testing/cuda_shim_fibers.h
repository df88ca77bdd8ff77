// Fibers: places in the middle of functions that can be left and come back to.

#pragma once

#include <cstddef>
#if !defined(__x86_64__)
#define VYRE_SHIM_PORTABLE
#endif
#ifdef VYRE_SHIM_PORTABLE
#include <ucontext.h>
#endif

static const size_t STACK_BYTES = 64 * 1024;

#ifndef VYRE_SHIM_PORTABLE

struct Context {
    void *stack_pointer;
};

// Saves what functions must preserve on the stack, and goes on with another stack.
extern "C" void vyre_shim_switch(void **from, void *to);
asm(R"(
.text
.globl vyre_shim_switch
.hidden vyre_shim_switch
.type vyre_shim_switch, @function
vyre_shim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size vyre_shim_switch, .-vyre_shim_switch
)");

static void switch_to(Context &from, Context &to)
{
    vyre_shim_switch(&from.stack_pointer, to.stack_pointer);
}

static void make_context(Context &context, char *stack, void (*start)())
{
    // As if `start` had been called: its return address is where it will never return to.
    void **top = reinterpret_cast<void **>(stack + STACK_BYTES) - 2;
    top[0] = reinterpret_cast<void *>(start);
    top[1] = nullptr;
    context.stack_pointer = top - 6;
}

#else

struct Context {
    ucontext_t place;
};

static void switch_to(Context &from, Context &to)
{
    swapcontext(&from.place, &to.place);
}

static void make_context(Context &context, char *stack, void (*start)())
{
    getcontext(&context.place);
    context.place.uc_stack.ss_sp = stack;
    context.place.uc_stack.ss_size = STACK_BYTES;
    context.place.uc_link = nullptr;
    makecontext(&context.place, start, 0);
}

#endif
