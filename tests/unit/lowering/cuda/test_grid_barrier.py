"""
The grid barrier of CUDA kernels: its text, and that NVRTC keeps what matters of it. Whether
the protocol is right is the business of `test_grid_barrier_model.py`.
"""

import re

import pytest

from vyre.lowering.cuda.grid_barrier import grid_barrier_call, grid_barrier_text
from vyre.lowering.cuda.grid_protocol import GRID_WORDS, WORD_POSITIONS
from vyre.testing.nvrtc import architectures, ptx

PARAMETERS = {
    "vyre_grid": "unsigned int *vyre_grid",
    "vyre_stop": "const volatile unsigned int *vyre_stop",
    "vyre_trap": "const unsigned long long *vyre_trap",
}
FENCE = r"membar\.gl|fence\.(?:sc|acq_rel)\.gpu"
ARCHITECTURES = [70, 80, 90]


def kernel(has_traps: bool, watchdog: int | None = None, data: str = "unsigned *") -> str:
    """A kernel that reads the same element before and after a barrier, in a loop."""
    text = grid_barrier_text(has_traps=has_traps, watchdog=watchdog)
    number = None if watchdog is None else 3
    call = grid_barrier_call(has_traps=has_traps, barrier=number)
    parameters = [text for name, text in PARAMETERS.items() if name in call]
    return f"""{text}
extern "C" __global__ void twice({data}data, unsigned *sum, {", ".join(parameters)}) {{
    for (unsigned i = 0; i < 100; ++i) {{
        const unsigned before = data[i];
        if (!{call}) return;
        sum[threadIdx.x] = before + data[i];
    }}
}}
"""


def compiled(source: str, architecture: int) -> str:
    if architecture not in architectures():
        pytest.skip(f"this NVRTC does not know sm_{architecture} any more")
    return ptx(source, architecture)


def in_order(text: str, *parts: str) -> bool:
    """Whether lines that match stand in a text in this order."""
    return re.search(".*".join(parts), text, re.DOTALL) is not None


def test_call_and_signature_agree():
    """What is passed is what is taken."""
    assert grid_barrier_call(has_traps=False) == "vyre_grid_sync(vyre_grid, vyre_stop)"
    call = grid_barrier_call(has_traps=True)
    assert call == "vyre_grid_sync(vyre_grid, vyre_stop, vyre_trap)"
    taken = grid_barrier_text(has_traps=True).partition("{")[0]
    assert in_order(taken, *map(re.escape, PARAMETERS.values()))
    assert "vyre_trap" not in grid_barrier_text(has_traps=False)
    call = grid_barrier_call(has_traps=True, barrier=5)
    assert call == "vyre_grid_sync(vyre_grid, vyre_stop, vyre_trap, 5)"
    taken = grid_barrier_text(has_traps=True, watchdog=9).partition("{")[0]
    assert in_order(taken, "vyre_trap", "const unsigned int barrier")


def test_order_of_release():
    """The last block resets, fences, decides and releases, in this order."""
    text = grid_barrier_text(has_traps=True)
    last, _, others = text.partition("} else {")
    steps = (
        r"__syncthreads\(\);",
        r"before = \*generation;",
        r"__threadfence\(\);",
        r"atomicAdd\(vyre_grid, 1u\) == blocks - 1",
        r"\*arrived = 0;",
        r"__threadfence\(\);",
        r"\*trapped != ~0ull",
        r"\*generation = now;",
    )
    assert in_order(last, *steps)
    assert last.count("__threadfence();") == 2
    assert in_order(
        others, r"now = \*generation;", r"__threadfence\(\);", "__syncthreads_or"
    )


def test_watchdog_is_asked_for():
    """It is not in the text otherwise."""
    assert "gave_up" not in grid_barrier_text(has_traps=True)
    text = grid_barrier_text(has_traps=False, watchdog=5000)
    steps = (r"if \(spins == 5000u\) \{", r"\*gave_up = barrier;", r"\(vyre_stop\) = 1;")
    assert in_order(text, *steps, "break;")


def test_words_are_on_lines_of_their_own():
    """Who spins does not slow down who counts."""
    lines = [position * 4 // 128 for position in WORD_POSITIONS.values()]
    assert len(set(lines)) == len(lines)
    assert max(WORD_POSITIONS.values()) < GRID_WORDS


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("has_traps", [False, True])
@pytest.mark.parametrize("watchdog", [None, 1 << 20])
def test_nvrtc_takes_it(architecture: int, has_traps: bool, watchdog: int | None):
    """Without warnings, and all that orders accesses is still there."""
    text = compiled(kernel(has_traps, watchdog), architecture)
    assert len(re.findall(FENCE, text)) == 3
    assert len(re.findall(r"atom\.global\.add", text)) == 1
    assert text.count("bar.sync") == 1
    assert text.count("bar.red.or.pred") == 1
    assert text.count("nanosleep") == 1
    stores = 4 if watchdog else 2
    assert text.count("st.volatile.global.u32") == stores
    assert text.count("ld.volatile.global.u64") == has_traps
    assert not re.findall(r"\b(?:ld|st)\.global\.u64", text)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_arrival_is_between_fences(architecture: int):
    """Also the compiler keeps the order of the last block's accesses."""
    text = compiled(kernel(has_traps=True), architecture)
    assert in_order(text, "bar.sync", r"ld\.volatile", FENCE, r"atom\.global\.add")
    reset = r"st\.volatile\.global\.u32 \t\[%rd\d+\], "
    release = r"st\.volatile\.global\.u32 \t\[%rd\d+\+128\], "
    assert in_order(text, reset, f"(?:{FENCE})", r"ld\.volatile\.global\.u64", release)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_what_was_loaded_before_is_loaded_again(architecture: int):
    """A barrier makes what others wrote visible, unless the text denies that they write."""
    loads = re.compile(r"ld\.global(?:\.nc)?\.u32")
    assert len(loads.findall(compiled(kernel(False), architecture))) == 2
    denied = kernel(False, data="const unsigned *__restrict__ ")
    assert len(loads.findall(compiled(denied, architecture))) == 1
