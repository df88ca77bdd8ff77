// What compiled kernels and the runtime that plays the device know of each other.

#pragma once

struct uint3 {
    unsigned int x, y, z;
};

struct dim3 {
    unsigned int x, y, z;
};

// What the lanes of a warp have shown each other.
struct vyre_shim_exchange {
    unsigned int present;  // Those that took part, as a mask.
    unsigned long long values[32];
};

// What a kernel calls in the runtime. `line` says where in the kernel's text.
struct vyre_shim_hooks {
    // Waits for the block's threads that have not ended, and gives how many of them there
    // are, and how many of those say yes, which is in the upper half.
    unsigned long long (*barrier)(int line, int kind, int yes);
    // Waits for the lanes of the mask that have not ended.
    const vyre_shim_exchange *(*exchange)(int line, int kind, unsigned int mask,
                                          unsigned long long value);
    // Lets all others go on, for who waits for them in a loop.
    void (*pause)();
    // A moment at which others may go on, if turns are taken at random.
    void (*moment)();
    // Lanes that may run together with this one: any mask that has its own bit.
    unsigned int (*active)();
    // Ends everything with an error; does not return.
    void (*fail)(const char *cause);
};

// A compiled kernel.
struct vyre_shim_unit {
    void (*call)(void **arguments);
    const unsigned long long *sizes;  // Of the arguments, in bytes.
    unsigned long long count;         // Of the arguments.
    uint3 *thread;
    uint3 *block;
    dim3 *block_size;
    dim3 *grid_size;
    char *shared;  // Memory of the block that runs.
    unsigned long long shared_bytes;
    const vyre_shim_hooks **hooks;
};
