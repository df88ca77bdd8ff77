"""What comments say."""

import json

from vyre.dialects.vyre import RegionOp


def region_comment(op: RegionOp) -> str | None:
    """
    Where a part of a program comes from, if it says so. Quoting keeps it on one line.

    Example: `// region "row_sum" from "blas.gemv"`
    """
    parts: list[str] = []
    if op.generator is not None:
        parts.append(json.dumps(op.generator.data))
    if op.source is not None:
        parts.append(f"from {json.dumps(op.source.data)}")
    return " ".join(["// region", *parts]) if parts else None
