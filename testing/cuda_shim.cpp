// Runs kernels that were compiled with cuda_shim.h: plays the device, in one host thread.
//
// Threads of a block that wait for each other are fibers: each has a stack of its own, and
// whoever waits hands over to the scheduler. Blocks run one after the other, those of a
// cooperative grid by turns. Who has its turn when is the caller's choice, so that missing
// barriers show. Barriers that cannot be passed are errors.

#include "cuda_shim_state.h"

#include <csetjmp>
#include <cstring>
#include <memory>
#include <sys/mman.h>

// ---- What kernels call ------------------------------------------------------------------

static void hand_over()
{
    switch_to(runner.thread->context, runner.scheduler);
}

static void fail(const char *cause)
{
    const uint3 &thread = runner.thread->id, &block = runner.block->id;
    char text[400];
    snprintf(text, sizeof text, "%s, by thread (%u, %u, %u) of block (%u, %u, %u)", cause,
             thread.x, thread.y, thread.z, block.x, block.y, block.z);
    set_error(text);
    hand_over();  // For good.
}

static void release_barrier(Block &block)
{
    const u64 counts = static_cast<u64>(block.yes) << 32 | block.alive;
    for (Thread &thread : block.threads)
        if (thread.state == AT_BARRIER) {
            thread.state = READY;
            thread.counts = counts;
        }
    block.arrived = block.yes = 0;
    block.released = true;
}

static u64 barrier(int line, int kind, int yes)
{
    Block &block = *runner.block;
    Thread &own = *runner.thread;
    for (const Thread &other : block.threads)
        if (other.state == AT_BARRIER) {
            if (other.line != line || other.kind != kind) {
                char text[200];
                snprintf(text, sizeof text,
                         "a __syncthreads() at line %d, while others wait at line %d", line,
                         other.line);
                fail(text);
            }
            break;
        }
    own.state = AT_BARRIER;
    own.line = line;
    own.kind = kind;
    block.arrived += 1;
    block.yes += yes;
    if (block.arrived == block.alive)
        release_barrier(block);
    hand_over();
    return own.counts;
}

// Let the lanes of a warp go on that have all come.
static void release_warps(Block &block, size_t first)
{
    const size_t end = first + 32 < block.threads.size() ? first + 32 : block.threads.size();
    for (size_t k = first; k < end; ++k) {
        const Thread &one = block.threads[k];
        if (one.state != AT_WARP)
            continue;
        vyre_shim_exchange shown = {0, {}};
        bool complete = true;
        for (size_t j = first; j < end; ++j) {
            const Thread &other = block.threads[j];
            if (!(one.mask >> (j - first) & 1) || other.state == ENDED)
                continue;
            complete = complete && other.state == AT_WARP && other.mask == one.mask &&
                       other.line == one.line && other.kind == one.kind;
            shown.present |= 1u << (j - first);
            shown.values[j - first] = other.value;
        }
        if (!complete)
            continue;
        for (size_t j = first; j < end; ++j)
            if (shown.present >> (j - first) & 1) {
                block.threads[j].state = READY;
                block.threads[j].shown = shown;
            }
        block.released = true;
    }
}

static size_t number_of(const Thread &thread)
{
    return &thread - runner.block->threads.data();
}

static const vyre_shim_exchange *exchange(int line, int kind, unsigned int mask, u64 value)
{
    Thread &own = *runner.thread;
    const size_t number = number_of(own);
    if (!(mask >> number % 32 & 1))
        fail("a warp operation whose mask does not have its own lane");
    own.state = AT_WARP;
    own.line = line;
    own.kind = kind;
    own.mask = mask;
    own.value = value;
    release_warps(*runner.block, number / 32 * 32);
    hand_over();
    return &own.shown;
}

static void pause_thread()
{
    runner.thread->state = PAUSED;
    hand_over();
}

static void moment()
{
    if (runner.settings.thread_order == RANDOM && next_random() % 4 == 0)
        hand_over();
}

static unsigned int active()
{
    const size_t number = number_of(*runner.thread), first = number / 32 * 32;
    unsigned int lanes = 0;
    for (size_t k = first; k < first + 32 && k < runner.block->threads.size(); ++k)
        lanes |= (runner.block->threads[k].state != ENDED) << (k - first);
    if (runner.settings.thread_order == RANDOM)
        lanes &= static_cast<unsigned int>(next_random());
    return lanes | 1u << (number - first);
}

static const vyre_shim_hooks HOOKS = {barrier, exchange, pause_thread, moment, active, fail};

// ---- Blocks of fibers -------------------------------------------------------------------

static char *new_stack()
{
    if (!runner.stacks.empty()) {
        char *stack = runner.stacks.back();
        runner.stacks.pop_back();
        return stack;
    }
    // As much again lies below, where nobody is hurt by a thread that needs more.
    void *made = mmap(nullptr, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        return nullptr;
    char *stack = static_cast<char *>(made) + STACK_BYTES;
    memset(stack, CANARY, CANARY_BYTES);
    return stack;
}

static bool is_intact(const char *stack)
{
    for (size_t k = 0; k < CANARY_BYTES; ++k)
        if (static_cast<unsigned char>(stack[k]) != CANARY)
            return false;
    return true;
}

static void run_thread()
{
    const Job &job = *runner.block->job;
    job.unit->call(job.arguments);
    Block &block = *runner.block;
    Thread &own = *runner.thread;
    own.state = ENDED;
    block.alive -= 1;
    if (block.arrived != 0 && block.arrived == block.alive)
        release_barrier(block);
    release_warps(block, number_of(own) / 32 * 32);
    hand_over();  // For good.
}

static std::unique_ptr<Block> new_block(Job &job, u64 number)
{
    auto block = std::make_unique<Block>();
    const u64 count = volume(job.block);
    block->job = &job;
    block->id = position(number, job.grid);
    block->shared.assign(job.unit->shared_bytes, static_cast<char>(DIRT));
    block->threads.resize(count);
    block->alive = static_cast<unsigned int>(count);
    block->arrived = block->yes = 0;
    block->released = false;
    for (u64 k = 0; k < count; ++k) {
        Thread &thread = block->threads[k];
        thread.id = position(k, job.block);
        thread.state = READY;
        thread.stack = new_stack();
        if (!thread.stack) {
            set_error("there is no memory for so many threads at once");
            break;
        }
        make_context(thread.context, thread.stack, run_thread);
    }
    return block;
}

static void drop_block(std::unique_ptr<Block> block)
{
    for (const Thread &thread : block->threads)
        if (thread.stack) {
            memset(thread.stack, CANARY, CANARY_BYTES);
            runner.stacks.push_back(thread.stack);
        }
}

static void report_stuck(const Block &block)
{
    const Thread *waits = nullptr, *other = nullptr;
    for (const Thread &thread : block.threads) {
        if (thread.state == ENDED)
            continue;
        if (!waits)
            waits = &thread;
        else if (thread.line != waits->line || thread.kind != waits->kind ||
                 thread.state != waits->state || thread.mask != waits->mask)
            other = &thread;
    }
    char text[400];
    int length = snprintf(text, sizeof text,
                          "threads of block (%u, %u, %u) wait for ever: (%u, %u, %u) at line %d",
                          block.id.x, block.id.y, block.id.z, waits->id.x, waits->id.y,
                          waits->id.z, waits->line);
    if (other)
        snprintf(text + length, sizeof text - length, ", (%u, %u, %u) at line %d",
                 other->id.x, other->id.y, other->id.z, other->line);
    set_error(text);
}

static void enter(Block &block)
{
    const vyre_shim_unit &unit = *block.job->unit;
    runner.block = &block;
    *unit.hooks = &HOOKS;
    *unit.block = block.id;
    *unit.block_size = block.job->block;
    *unit.grid_size = block.job->grid;
    if (unit.shared_bytes)
        memcpy(unit.shared, block.shared.data(), unit.shared_bytes);
    for (Thread &thread : block.threads)
        if (thread.state == PAUSED)
            thread.state = READY;
}

static void leave(Block &block)
{
    const vyre_shim_unit &unit = *block.job->unit;
    if (unit.shared_bytes)
        memcpy(block.shared.data(), unit.shared, unit.shared_bytes);
}

static void turn_of(Thread &thread)
{
    runner.thread = &thread;
    *runner.block->job->unit->thread = thread.id;
    switch_to(runner.scheduler, thread.context);
    if (!is_intact(thread.stack))
        set_error("a thread needs more than 64 KB of stack");
}

// Let a block run until all its threads wait, pause or have ended; or, if turns are taken at
// random and there are other blocks, for some time. Whoever comes first and may go on does
// so as far as it can, before others begin: what has to wait for them shows.
static void turn_of(Block &block, bool alone)
{
    enter(block);
    const bool leaves_early =
        !alone && runner.settings.block_order == RANDOM && next_random() % 4 == 0;
    bool any = true;
    while (any && !runner.error[0]) {
        any = block.released = false;
        for (u64 k : turns(block.threads.size(), runner.settings.thread_order)) {
            Thread &thread = block.threads[k];
            if (thread.state != READY || runner.error[0])
                continue;
            any = true;
            turn_of(thread);
            if (block.released)
                break;
        }
        check_patience();
        if (leaves_early)
            break;
    }
    bool may_go_on = block.alive == 0;
    for (const Thread &thread : block.threads)
        may_go_on = may_go_on || thread.state == READY || thread.state == PAUSED;
    if (!may_go_on && !runner.error[0])
        report_stuck(block);
    leave(block);
}

// Blocks that are there at once: all of a cooperative grid, one of another.
struct Coming {
    Job *job;
    std::vector<u64> numbers;
    size_t next;
};

static void run_fibers(Job *jobs, int count)
{
    std::vector<Coming> coming;
    std::vector<std::unique_ptr<Block>> here;
    for (int k = 0; k < count; ++k) {
        coming.push_back({&jobs[k], turns(volume(jobs[k].grid), runner.settings.block_order), 0});
        Coming &its = coming.back();
        const size_t most = jobs[k].cooperative ? its.numbers.size() : 1;
        while (its.next < most && !runner.error[0])
            here.push_back(new_block(jobs[k], its.numbers[its.next++]));
    }
    while (!here.empty() && !runner.error[0]) {
        for (u64 k : turns(here.size(), runner.settings.block_order)) {
            if (runner.error[0])
                break;
            turn_of(*here[k], here.size() == 1);
            if (here[k]->alive != 0)
                continue;
            Job *job = here[k]->job;
            drop_block(std::move(here[k]));
            for (Coming &its : coming)
                if (its.job == job && its.next < its.numbers.size())
                    here[k] = new_block(*job, its.numbers[its.next++]);
        }
        std::vector<std::unique_ptr<Block>> still;
        for (auto &block : here)
            if (block)
                still.push_back(std::move(block));
        here = std::move(still);
    }
    for (auto &block : here)
        drop_block(std::move(block));
}

// ---- Blocks in which nobody waits -------------------------------------------------------

static jmp_buf out_of_kernel;

static void fail_plainly(const char *cause)
{
    set_error(cause);
    longjmp(out_of_kernel, 1);
}

static void nothing() {}

static const vyre_shim_hooks PLAIN = {nullptr, nullptr, nothing, nothing, nullptr,
                                      fail_plainly};

static void run_plainly(const Job &job)
{
    if (setjmp(out_of_kernel) != 0)
        return;
    const vyre_shim_unit &unit = *job.unit;
    *unit.hooks = &PLAIN;
    *unit.block_size = job.block;
    *unit.grid_size = job.grid;
    const u64 threads = volume(job.block);
    std::vector<u64> order = turns(threads, runner.settings.thread_order);
    for (u64 number : turns(volume(job.grid), runner.settings.block_order)) {
        *unit.block = position(number, job.grid);
        memset(unit.shared, DIRT, unit.shared_bytes);
        if (runner.settings.thread_order == RANDOM)
            order = turns(threads, RANDOM);
        for (u64 k : order) {
            *unit.thread = position(k, job.block);
            unit.call(job.arguments);
        }
        check_patience();
        if (runner.error[0])
            return;
    }
}

// Runs launches together, until all have ended; gives what is wrong, or nothing.
extern "C" __attribute__((visibility("default"))) const char *
vyre_shim_run(Job *jobs, int count, const Settings *settings)
{
    runner.settings = *settings;
    runner.random = settings->seed;
    runner.started = now();
    runner.error[0] = 0;
    if (count == 1 && !jobs[0].waits) {
        run_plainly(jobs[0]);
    } else {
        run_fibers(jobs, count);
    }
    return runner.error;
}
