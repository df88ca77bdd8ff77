"""The text of the grid barrier, compiled for the host and run."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from vyre.lowering.cuda.grid_barrier import grid_barrier_call, grid_barrier_text
from vyre.lowering.cuda.grid_protocol import GRID_WORDS, NO_TRAP, WORD_POSITIONS, Word
from vyre.runtime.cuda.arguments import PackedArguments
from vyre.testing.host_cuda import HostCudaDevice

Words = NDArray[np.uint32]

SOURCE = f"""
{grid_barrier_text(has_traps=True, watchdog=1000)}
extern "C" __global__ void neighbours(unsigned int *data, unsigned int rounds,
    unsigned int trapping_round, unsigned int missing_round, unsigned int *vyre_grid,
    const volatile unsigned int *vyre_stop, unsigned long long *vyre_trap) {{
  const unsigned int count = gridDim.x * blockDim.x;
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int round = 0; round < rounds; ++round) {{
    if (round == missing_round && blockIdx.x == 1) return;
    const unsigned int old = round % 2 * count, fresh = count - old;
    data[fresh + i] = data[old + (i + 1) % count] + 1;
    if (round == trapping_round && i == 1) vyre_trap[1] = i;
    if (!{grid_barrier_call(has_traps=True, barrier=7)}) return;
  }}
}}
"""
NEVER = 2**32 - 1
BLOCKS, THREADS = 3, 4
COUNT = BLOCKS * THREADS


@dataclass
class Grid:
    """A launch on a device, and the words that its blocks share."""

    device: HostCudaDevice
    first_generation: int = 0
    stop: int = 0

    def __post_init__(self) -> None:
        self.words = np.zeros(GRID_WORDS, np.uint32)
        self.words[WORD_POSITIONS[Word.GENERATION]] = self.first_generation
        self.data = np.zeros((2, COUNT), np.uint32)
        self.data[0] = np.arange(COUNT) * 1000

    def run(self, rounds: int, trapping: int = NEVER, missing: int = NEVER) -> None:
        """Launch, and read back what is there at the end."""
        device, stream = self.device, self.device.new_stream()
        trap = np.array([0, NO_TRAP, 0], np.uint64)
        stop = np.array([self.stop], np.uint32)
        arrays = [self.data, self.words, stop, trap]
        addresses = [device.allocate(array.nbytes, stream) for array in arrays]
        for array, address in zip(arrays, addresses):
            device.upload(address, array.reshape(-1).view(np.uint8), stream)
        data, *words = map(np.uint64, addresses)
        numbers = map(np.uint32, (rounds, trapping, missing))
        function = device.compile(SOURCE, "neighbours", ())
        arguments = PackedArguments([data, *numbers, *words])
        grid, block = (BLOCKS, 1, 1), (THREADS, 1, 1)
        device.launch(function, grid, block, arguments, stream, cooperative=True)
        for array, address in zip(arrays, addresses):
            device.download(address, array.reshape(-1).view(np.uint8), stream)
        self.stop = int(stop[0])

    def word(self, word: Word) -> int:
        return int(self.words[WORD_POSITIONS[word]])

    def expected(self, rounds: int) -> Words:
        """After so many rounds in which everyone takes its neighbour's value and adds 1."""
        return (np.roll(np.arange(COUNT) * 1000, -rounds) + rounds).astype(np.uint32)


@pytest.fixture(params=["forward", "reversed", "random"])
def device(request: pytest.FixtureRequest) -> HostCudaDevice:
    """One whose blocks and threads take turns in some order."""
    return HostCudaDevice(block_order=request.param, thread_order=request.param)


@pytest.mark.parametrize("rounds", [1, 2, 101])
def test_everyone_waits_for_everyone(device: HostCudaDevice, rounds: int):
    """Each round uses what others did in the one before."""
    grid = Grid(device)
    grid.run(rounds)
    assert (grid.data[rounds % 2] == grid.expected(rounds)).all()
    assert grid.word(Word.GENERATION) == 2 * rounds
    assert grid.word(Word.ARRIVED) == 0
    assert grid.word(Word.GAVE_UP) == 0


def test_words_serve_again(device: HostCudaDevice):
    """A launch that ran to its end leaves words that the next one can use."""
    grid = Grid(device)
    for launch in (1, 2):
        grid.run(10)
        assert (grid.data[0] == grid.expected(10 * launch)).all()


def test_generations_wrap_around(device: HostCudaDevice):
    """After 2^31 barriers they begin again."""
    grid = Grid(device, first_generation=2**32 - 4)
    grid.run(6)
    assert (grid.data[0] == grid.expected(6)).all()
    assert grid.word(Word.GENERATION) == 8


def test_trap_ends_it_at_the_next_barrier(device: HostCudaDevice):
    """Everyone leaves there, nobody before and nobody after."""
    grid = Grid(device)
    grid.run(10, trapping=4)
    assert grid.word(Word.GENERATION) == 2 * 5 + 1
    assert (grid.data[1] == grid.expected(5)).all()


def test_host_ends_it(device: HostCudaDevice):
    """Soon, and without a trace of the watchdog."""
    grid = Grid(device, stop=1)
    grid.run(1_000_000)
    assert grid.word(Word.GENERATION) <= 2 * 16 + 1
    assert grid.word(Word.GAVE_UP) == 0


def test_watchdog_ends_what_hangs(device: HostCudaDevice):
    """A block that does not come is waited for, but not forever."""
    grid = Grid(device)
    grid.run(10, missing=3)
    assert grid.word(Word.GAVE_UP) == 7
    assert grid.word(Word.ARRIVED) == BLOCKS - 1
    assert grid.word(Word.GENERATION) == 2 * 3
    assert grid.stop == 1
