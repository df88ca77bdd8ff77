"""Arrays of operands: edge values in all combinations, and random bits."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from operations import DTYPES, WIDTHS

Array = NDArray[Any]

_RANDOM = 2003
"""No multiple of a vector's length, so that loops have a remainder."""


@cache
def columns(*types: str) -> tuple[Array, ...]:
    """One array for each operand: all combinations of edge values, then random ones."""
    everything = [_every(type) for type in types]
    if sum(map(_bits, types)) <= 16:
        chosen = everything
    else:
        chosen = [edges(type, few=len(types) > 2) for type in types]
    grids = np.meshgrid(*chosen, indexing="ij")
    if chosen is everything:
        return tuple(grid.ravel() for grid in grids)
    randoms = [_random(type, seed) for seed, type in enumerate(types)]
    return tuple(np.concatenate([g.ravel(), r]) for g, r in zip(grids, randoms))


def edges(type: str, few: bool = False) -> Array:
    """Values of a type at which something special happens."""
    if type in WIDTHS:
        return _edge_integers(type)
    return _edge_floats(type, few)


def _bits(type: str) -> int:
    return WIDTHS[type] if type in WIDTHS else 8 * np.dtype(DTYPES[type]).itemsize


def _every(type: str) -> Array:
    if type == "i1":
        return np.array([False, True])
    if _bits(type) > 16:
        return np.zeros(0, DTYPES[type])
    patterns: Array = np.arange(2 ** _bits(type), dtype=f"u{_bits(type) // 8}")
    return patterns.view(DTYPES[type])


def _edge_integers(type: str) -> Array:
    if type == "i1":
        return np.array([False, True])
    width = WIDTHS[type]
    powers = [2**n for n in range(0, width, 7 if width == 64 else 5)]
    powers += [2 ** (width - 1), 2**width, 10, 24, 53]
    numbers = {sign * power + off for power in powers for sign, off in _NEIGHBOURS}
    wrapped = sorted({number % 2**width for number in numbers} | {0})
    return np.array(wrapped, f"u{width // 8}").view(DTYPES[type])


_NEIGHBOURS = tuple(product((1, -1), (-1, 0, 1)))


def _edge_floats(type: str, few: bool) -> Array:
    dtype = DTYPES[type]
    info = np.finfo(dtype)
    tiny, smallest = float(info.tiny), float(info.smallest_subnormal)
    numbers = [0.0, 1.0, 0.5, 1.5, 3.0, 0.1, tiny, smallest, float(info.max), np.inf]
    if not few:
        powers = [2.0**n for n in (-40, -25, -24, -15, 8, 10, 11, 15, 16, 23, 24)]
        powers += [2.0**n for n in (31, 32, 52, 53, 63, 64)]
        numbers += [2.5, 1e3 + 0.5, 65504.0, 65519.0, 65520.0, 3e7, 1.0 + info.eps]
        numbers += [0.5 - float(info.epsneg) / 2, tiny - smallest, 3 * smallest, *powers]
        numbers += [x * (1 + s * float(info.eps)) for x in powers for s in (-0.5, 1)]
    with np.errstate(over="ignore"):
        positive = np.array(numbers, np.float64).astype(dtype)
    return np.concatenate([positive, -positive, nans(type)])


def nans(type: str) -> Array:
    """Quiet and signalling, of both signs, with and without payload."""
    dtype = np.dtype(DTYPES[type])
    unsigned = f"u{dtype.itemsize}"
    quiet = int(np.array(np.nan, dtype).view(unsigned)) | 1 << np.finfo(dtype).nmant - 1
    infinity = int(np.array(np.inf, dtype).view(unsigned))
    sign = 1 << 8 * dtype.itemsize - 1
    patterns = [quiet & ~sign, quiet | sign, quiet | 5, infinity | 1, infinity | sign | 1]
    return np.array(patterns, unsigned).view(dtype)


def _random(type: str, seed: int) -> Array:
    """Half of it random bits, half of it numbers of moderate size."""
    generator = np.random.default_rng(1000 * seed + _bits(type))
    if type == "i1":
        return generator.integers(0, 2, _RANDOM).astype(np.bool_)
    dtype = np.dtype(DTYPES[type])
    wild = np.frombuffer(generator.bytes(_RANDOM * dtype.itemsize), dtype).copy()
    if dtype.kind == "f":
        calm = generator.normal(0, 4, _RANDOM).astype(dtype)
    else:
        calm = generator.integers(-20, 20, _RANDOM).astype(dtype)
    return np.where(np.arange(_RANDOM) % 2 == 0, wild, calm)


def around_halves(type: str) -> Array:
    """Of a wider float type: every half, the midpoints between them, and neighbours."""
    dtype = DTYPES[type]
    halves = _every("f16").astype(dtype)
    halves = np.sort(halves[np.isfinite(halves)])
    # Half of the way from the largest half to the next, if there were one.
    middles = np.concatenate([(halves[1:] + halves[:-1]) / 2, np.array([65520.0], dtype)])
    points = np.concatenate([halves, middles, -middles])
    near = [np.nextafter(points, dtype(to)) for to in (np.inf, -np.inf)]
    return np.concatenate([points, *near])


def products_near_ties(type: str) -> tuple[Array, Array, Array]:
    """Products on a tie or next to one, and addends far below, which decide."""
    dtype = DTYPES[type]
    digits = int(np.finfo(dtype).nmant)
    generator = np.random.default_rng(6)
    factors = 1 + generator.integers(0, 64, (2, 5000)) * 2.0 ** -(digits // 2 + 1)
    factors[0] *= 64
    addends = generator.choice([-1, 0, 1], 5000) * 2.0 ** -(digits + 14)
    a, b, c = factors[0].astype(dtype), factors[1].astype(dtype), addends.astype(dtype)
    return a, b, c
