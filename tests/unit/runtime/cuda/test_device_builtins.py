"""What CUDA has built in, as kernels use it: the same on the host harness and on a GPU."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cuda_devices import EVERY_DEVICE, MakeDevice, run_kernel
from numpy.typing import NDArray

IDS = np.arange(64, dtype=np.uint32)
LANES = IDS % 32
RNG = np.random.default_rng(5)
WORDS = RNG.integers(0, 2**32, 64, np.uint32)
LONGS = RNG.integers(0, 2**64, 64, np.uint64)
FLOATS = RNG.standard_normal(64).astype(np.float32)
WHOLE_WARP = "0xffffffffu"


def kernel(code: str, type: str) -> str:
    return f"""
extern "C" __global__ void k(const {type} *a, {type} *out) {{
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  {type} r;
  {code}
  out[i] = r;
}}
"""


C_TYPES: dict[np.dtype[Any], str] = {
    np.dtype(np.uint32): "unsigned int",
    np.dtype(np.int32): "int",
    np.dtype(np.uint64): "unsigned long long",
    np.dtype(np.int64): "long long",
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
}


def check(
    make: MakeDevice, code: str, a: NDArray[Any], expected: NDArray[Any], block: int = 64
) -> None:
    text = kernel(code, C_TYPES[a.dtype])
    out = np.zeros(len(a), a.dtype)
    blocks = len(a) // block
    _, found = run_kernel(make(), text, [a, out], grid=blocks, block=block)
    np.testing.assert_array_equal(found, expected)


def shuffled(a: NDArray[Any], source: NDArray[Any]) -> NDArray[Any]:
    """Each lane's element of its own warp."""
    warps = a.reshape(-1, 32)
    return np.take_along_axis(warps, source.reshape(-1, 32).astype(np.int64), 1).reshape(-1)


def half_up(lanes: NDArray[Any]) -> NDArray[Any]:
    return np.where(lanes % 16 < 3, lanes, lanes - 3)


def half_down(lanes: NDArray[Any]) -> NDArray[Any]:
    return np.where(lanes % 16 >= 13, lanes, lanes + 3)


SHUFFLES = {
    "__shfl_sync(M, a[i], 5)": shuffled(WORDS, np.full(64, 5)),
    "__shfl_sync(M, a[i], 37)": shuffled(WORDS, np.full(64, 5)),
    "__shfl_sync(M, a[i], i + 1)": shuffled(WORDS, (LANES + 1) % 32),
    "__shfl_sync(M, a[i], 5, 8)": shuffled(WORDS, LANES // 8 * 8 + 5),
    "__shfl_up_sync(M, a[i], 3)": shuffled(WORDS, np.where(LANES < 3, LANES, LANES - 3)),
    "__shfl_up_sync(M, a[i], 3, 16)": shuffled(WORDS, half_up(LANES)),
    "__shfl_down_sync(M, a[i], 3, 16)": shuffled(WORDS, half_down(LANES)),
    "__shfl_xor_sync(M, a[i], 16)": shuffled(WORDS, LANES ^ 16),
}


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
@pytest.mark.parametrize("call", SHUFFLES)
def test_shuffles(make_device: MakeDevice, call: str):
    code = f"r = {call.replace('M', WHOLE_WARP)};"
    check(make_device, code, WORDS, SHUFFLES[call])


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
@pytest.mark.parametrize("a", [LONGS, FLOATS, FLOATS.astype(np.float64)])
def test_shuffles_of_other_types(make_device: MakeDevice, a: NDArray[Any]):
    code = f"r = __shfl_xor_sync({WHOLE_WARP}, a[i], 1);"
    check(make_device, code, a, shuffled(a, LANES ^ 1))


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_shuffles_in_a_loop(make_device: MakeDevice):
    """Nobody gets ahead of those that it exchanges with."""
    code = f"""
  r = a[i];
  for (int k = 0; k < 20; ++k) r = r * 3 + __shfl_sync({WHOLE_WARP}, r, i + k);
"""
    expected = WORDS
    for k in range(20):
        expected = expected * np.uint32(3) + shuffled(expected, (LANES + k) % 32)
    check(make_device, code, WORDS, expected)


def ballot(votes: NDArray[Any]) -> NDArray[Any]:
    masks = (votes.reshape(-1, 32) << np.arange(32, dtype=np.uint64)).sum(1)
    return masks.repeat(32).astype(np.uint32)


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_votes(make_device: MakeDevice):
    odd = (WORDS % 2).astype(np.uint64)
    code = f"r = __ballot_sync({WHOLE_WARP}, a[i] % 2);"
    check(make_device, code, WORDS, ballot(odd))
    code = f"r = 2 * __any_sync({WHOLE_WARP}, i == 40) + __all_sync({WHOLE_WARP}, i < 32);"
    check(make_device, code, WORDS, np.array([1, 2], np.uint32).repeat(32))


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_lanes_that_have_ended_take_no_part(make_device: MakeDevice):
    code = f"if (i % 3 == 0) return; r = __ballot_sync({WHOLE_WARP}, i % 2);"
    votes = np.where(IDS % 3 == 0, 0, IDS % 2).astype(np.uint64)
    expected = np.where(IDS % 3 == 0, 0, ballot(votes)).astype(np.uint32)
    check(make_device, code, WORDS, expected)


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_lanes_in_groups(make_device: MakeDevice):
    """Lanes that take different ways exchange with those that go with them."""
    code = """
  if (i % 32 < 16) r = __shfl_sync(0x0000ffffu, a[i], 7);
  else r = __ballot_sync(0xffff0000u, i % 32 < 20);
  __syncwarp();
"""
    first = shuffled(WORDS, np.full(64, 7))
    expected = np.where(LANES < 16, first, 0x000F0000).astype(np.uint32)
    check(make_device, code, WORDS, expected)


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_warps_go_along_x_first(make_device: MakeDevice):
    text = f"""
extern "C" __global__ void k(unsigned int *out) {{
  const unsigned int row = threadIdx.y + blockDim.y * threadIdx.z;
  const unsigned int i = threadIdx.x + blockDim.x * row;
  out[i] = __shfl_sync({WHOLE_WARP}, i, 0) * 32 + __popc(__ballot_sync({WHOLE_WARP}, 1));
}}
"""
    (found,) = run_kernel(make_device(), text, [np.zeros(40, np.uint32)], block=(5, 4, 2))
    expected = np.where(np.arange(40) < 32, 32, 32 * 32 + 8)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_ids_and_sizes(make_device: MakeDevice):
    text = """
extern "C" __global__ void k(unsigned int *out) {
  const unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned int thread =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = block * 1000 + thread;
}
"""
    given = [np.zeros(24 * 30, np.uint32)]
    (found,) = run_kernel(make_device(), text, given, grid=(2, 3, 4), block=(3, 2, 5))
    block, thread = np.divmod(np.arange(24 * 30), 30)
    np.testing.assert_array_equal(found, block * 1000 + thread)


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_barriers(make_device: MakeDevice):
    code = """
  __shared__ unsigned int tile[64];
  tile[threadIdx.x] = a[i];
  __syncthreads();
  r = tile[63 - threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] = r;
  __syncthreads();
  r = tile[(threadIdx.x + 1) % 64];
"""
    check(make_device, code, WORDS, np.roll(WORDS[::-1], -1))


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_barriers_that_count(make_device: MakeDevice):
    code = """
  r = 10000 * __syncthreads_count(i % 3 == 0);
  r += __syncthreads_or(i == 9) ? 100 : 0;
  r += __syncthreads_or(i == 99) ? 200 : 0;
  r += __syncthreads_and(i < 64) ? 1 : 0;
  r += __syncthreads_and(i != 5) ? 2 : 0;
"""
    check(make_device, code, WORDS, np.full(64, 220101, np.uint32))


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_barriers_do_not_wait_for_threads_that_have_ended(make_device: MakeDevice):
    code = """
  __shared__ unsigned int tile[64];
  tile[threadIdx.x] = a[i];
  __syncthreads();
  if (threadIdx.x % 7 == 0) return;
  __syncthreads();
  r = tile[63 - threadIdx.x];
"""
    expected = np.where(IDS % 7 == 0, 0, WORDS[::-1]).astype(np.uint32)
    check(make_device, code, WORDS, expected)


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_shared_memory_is_each_blocks_own(make_device: MakeDevice):
    """Also if blocks run by turns; double precision after a byte is aligned."""
    text = """
extern "C" __global__ void k(unsigned int *arrived, double *out) {
  __shared__ unsigned char odd;
  __shared__ double sums[32];
  sums[threadIdx.x] = blockIdx.x * 100.0 + threadIdx.x;
  if (threadIdx.x == 0) odd = blockIdx.x % 2;
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned int *)arrived != gridDim.x) __nanosleep(32);
  }
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = sums[31 - threadIdx.x] + odd * 0.5;
}
"""
    given = [np.zeros(1, np.uint32), np.zeros(8 * 32)]
    _, found = run_kernel(make_device(), text, given, grid=8, cooperative=True)
    block, thread = np.divmod(np.arange(256), 32)
    np.testing.assert_array_equal(found, block * 100 + 31 - thread + block % 2 * 0.5)


def total(a: Any) -> Any:
    return a.sum(dtype=a.dtype)


def minus_total(a: Any) -> Any:
    return -total(a)


ATOMICS: dict[tuple[str, str], Callable[[Any], Any]] = {
    **{
        ("atomicAdd", type): total
        for type in ("int", "unsigned int", "unsigned long long", "float", "double")
    },
    ("atomicSub", "int"): minus_total,
    **{
        (f"atomic{name}", type): getattr(np, f"bitwise_{name.lower()}").reduce
        for name in ("And", "Or", "Xor")
        for type in ("int", "unsigned int", "unsigned long long")
    },
    **{
        (f"atomic{name}", type): getattr(np, f"{name.lower()}imum").reduce
        for name in ("Min", "Max")
        for type in ("int", "unsigned int", "long long", "unsigned long long")
    },
}
DTYPES: dict[str, Any] = {name: dtype for dtype, name in C_TYPES.items()}


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
@pytest.mark.parametrize(("name", "type"), ATOMICS)
def test_atomics(make_device: MakeDevice, name: str, type: str):
    dtype: Any = DTYPES[type]
    a: NDArray[Any]
    if dtype.kind == "f":
        a = RNG.integers(-99, 99, 64).astype(dtype)
    else:
        info = np.iinfo(dtype)
        a = RNG.integers(info.min, info.max, 64, dtype, endpoint=True)
    start = np.zeros(1, dtype) if "Add" in name or "Sub" in name else a[:1].copy()
    if name == "atomicXor":
        start[0] = 0
    code = f"""
extern "C" __global__ void k(const {type} *a, {type} *result, {type} *own) {{
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ {type} local;
  if (threadIdx.x == 0) local = *result;
  __syncthreads();
  {name}(&local, a[i]);
  __syncthreads();
  own[i] = local;
  {name}(result, a[i]);
}}
"""
    given = [a, start, np.zeros(64, dtype)]
    with np.errstate(over="ignore"):
        expected = ATOMICS[name, type](a)
        _, found, own = run_kernel(make_device(), code, given, block=64)
    assert found[0] == expected
    np.testing.assert_array_equal(own, np.full(64, expected))


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
@pytest.mark.parametrize("type", ["int", "unsigned int", "unsigned long long"])
def test_compare_and_swap(make_device: MakeDevice, type: str):
    """The old value is given back, and only one of many wins."""
    text = f"""
extern "C" __global__ void k({type} *place, {type} *old) {{
  old[threadIdx.x] = atomicCAS(place, ({type})7, ({type})(100 + threadIdx.x));
}}
"""
    dtype = DTYPES[type]
    place, old = run_kernel(
        make_device(), text, [np.array([7], dtype), np.zeros(32, dtype)], block=32
    )
    winners = np.flatnonzero(old == 7)
    assert len(winners) == 1
    assert place[0] == 100 + winners[0]
    assert set(old) == {7, place[0]}


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_exchange(make_device: MakeDevice):
    text = """
extern "C" __global__ void k(unsigned int *place, unsigned int *old) {
  old[threadIdx.x] = atomicExch(place, threadIdx.x);
}
"""
    given = [np.array([99], np.uint32), np.zeros(32, np.uint32)]
    place, old = run_kernel(make_device(), text, given)
    assert sorted([*old, *place]) == sorted([*range(32), 99])


BITS = {
    "__popc(a[i])": [int(x).bit_count() for x in WORDS],
    "__clz(a[i])": [32 - int(x).bit_length() for x in WORDS],
    "__clz(0)": [32] * 64,
    "__ffs(a[i])": [(int(x) & -int(x)).bit_length() for x in WORDS],
    "__brev(a[i])": [int(f"{x:032b}"[::-1], 2) for x in WORDS],
    "__umulhi(a[i], a[i] ^ 12345u)": [int(x) * (int(x) ^ 12345) >> 32 for x in WORDS],
    "__float_as_uint(1.5f)": [0x3FC00000] * 64,
    "__ldg(a + i)": [int(x) for x in WORDS],
    "min(a[i], 1u << 31) - max(1u, 0u)": [min(int(x), 1 << 31) - 1 for x in WORDS],
}
LONG_BITS = {
    "__popcll(a[i])": [int(x).bit_count() for x in LONGS],
    "__clzll(a[i])": [64 - int(x).bit_length() for x in LONGS],
    "__clzll(0)": [64] * 64,
    "__ffsll(a[i])": [(int(x) & -int(x)).bit_length() for x in LONGS],
    "__brevll(a[i])": [int(f"{x:064b}"[::-1], 2) for x in LONGS],
    "__umul64hi(a[i], a[i] ^ 99)": [int(x) * (int(x) ^ 99) >> 64 for x in LONGS],
    "__double_as_longlong(1.5)": [0x3FF8 << 48] * 64,
}


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
@pytest.mark.parametrize("call", [*BITS, *LONG_BITS])
def test_bits(make_device: MakeDevice, call: str):
    if call in BITS:
        check(make_device, f"r = {call};", WORDS, np.array(BITS[call], np.uint32))
    else:
        check(make_device, f"r = {call};", LONGS, np.array(LONG_BITS[call], np.uint64))


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_signed_high_products(make_device: MakeDevice):
    signed = WORDS.view(np.int32)
    expected = [int(x) * (int(x) ^ 77) >> 32 for x in signed]
    check(
        make_device, "r = __mulhi(a[i], a[i] ^ 77);", signed, np.array(expected, np.int32)
    )
    wide = LONGS.view(np.int64)
    expected = [int(x) * (int(x) ^ 77) >> 64 for x in wide]
    check(
        make_device, "r = __mul64hi(a[i], a[i] ^ 77);", wide, np.array(expected, np.int64)
    )


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_products_and_sums_are_rounded_twice(make_device: MakeDevice):
    """Unless they are asked to be rounded once."""
    a = (1 + RNG.integers(1, 2**23, 64) / 2**23).astype(np.float32)
    twice = (a * a).astype(np.float32) - np.float32(2)
    once = (a.astype(np.float64) ** 2 - 2).astype(np.float32)  # The square is exact.
    assert (twice != once).any()
    check(make_device, "r = a[i] * a[i] - 2.0f;", a, twice)
    check(make_device, "r = fmaf(a[i], a[i], -2.0f);", a, once)
    check(make_device, "r = __fmaf_rn(a[i], a[i], -2.0f);", a, once)
    check(make_device, "r = __fsub_rn(__fmul_rn(a[i], a[i]), 2.0f);", a, twice)


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_small_numbers_are_kept(make_device: MakeDevice):
    """CuPy's own way to compile flushes them to zero."""
    tiny = np.arange(64, dtype=np.uint32).view(np.float32)
    check(make_device, "r = a[i] * 0.5f + a[i] * 0.5f;", tiny, tiny * 0 + _halves(tiny))


def _halves(tiny: NDArray[Any]) -> NDArray[Any]:
    half = tiny * np.float32(0.5)
    return half + half


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_division_and_square_root_are_exact(make_device: MakeDevice):
    a = np.abs(FLOATS) + np.float32(0.1)
    check(make_device, "r = 1.0f / a[i];", a, np.float32(1) / a)
    check(make_device, "r = sqrtf(a[i]);", a, np.sqrt(a))
    check(make_device, "r = __fdiv_rn(a[i], 3.0f);", a, a / np.float32(3))
    wide = a.astype(np.float64)
    check(make_device, "r = sqrt(a[i]) / 3.0;", wide, np.sqrt(wide) / 3)


CONVERSIONS = np.array(
    [0.0, 1.9, -1.9, 2.0**31, -(2.0**31), 2.0**40, -(2.0**40), 2.0**63, 2.0**70, np.inf]
    + [-np.inf, np.nan] * 11
)


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_conversions_saturate(make_device: MakeDevice):
    a = CONVERSIONS
    small = np.clip(
        np.nan_to_num(a, nan=0.0, posinf=2e9 * 2, neginf=-2e9 * 2), -(2**31), 2**31
    )
    expected = np.minimum(np.trunc(small), 2**31 - 1)
    check(make_device, "r = __double2int_rz(a[i]);", a, expected, block=32)
    unsigned = np.clip(np.trunc(np.nan_to_num(a, nan=0.0, posinf=1e99)), 0, 2**32 - 1)
    check(make_device, "r = __double2uint_rz(a[i]);", a, unsigned, block=32)
    text = """
extern "C" __global__ void k(const double *a, long long *out) {
  out[threadIdx.x] = __double2ll_rz(a[threadIdx.x]);
}
"""
    _, found = run_kernel(make_device(), text, [a, np.zeros(32, np.int64)])
    limits = (-(2**63), 2**63 - 1)
    wide = [
        limits[0]
        if np.isnan(x)
        else int(np.clip(x, -9e18, 9e18))
        if abs(x) < 9e18
        else limits[int(x > 0)]
        for x in a
    ]
    np.testing.assert_array_equal(found, np.array(wide, np.int64))
