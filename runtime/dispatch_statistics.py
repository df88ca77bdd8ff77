"""What a dispatch of resident handles took."""

from typing import NamedTuple


class Statistics(NamedTuple):
    """
    What one submission took. Resident buffers are not moved, so `input_bytes` and the
    allocations are 0 unless buffers were borrowed.

    `kernel_launches` counts submissions to the engine, each of them for all rows: one, or
    two if the device was lost at first. `program_launches` counts how often a program or a
    segment of it was launched for that, and `passes` how often all of them.

    Example: `megakernel.observed(handle).statistics.readback_bytes`
    """

    input_bytes: int
    output_bytes: int
    readback_bytes: int
    bytes_moved: int
    device_allocation_bytes: int
    device_allocation_events: int
    latency_ns: int
    output_buffers: int
    resident_resource_rows: int
    resident_resource_handles: int
    kernel_launches: int
    sync_points: int
    recovered_after_device_loss: bool
    passes: int
    program_launches: int


NOTHING_DONE = Statistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, False, 0, 0)
"""What an empty batch takes."""
