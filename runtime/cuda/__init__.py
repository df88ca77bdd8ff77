"""
The CUDA engine: programs as CUDA C++ on an NVIDIA GPU. The text comes from
`vyre.lowering.cuda`.

| what | where |
|---|---|
| the engine, as the runtime sees it | `backend.py`; what its dispatches share `engine.py` |
| a program or schedule, compiled | `unit.py`, `kernels.py` |
| a dispatch and its passes | `dispatch.py`; fixpoints `fixpoints.py`, `comparing.py` |
| the host's side of a schedule | `schedule.py`; loops ahead of it `loops_ahead.py` |
| launches as steps, steps as tapes and graphs | `launching.py`, `sections.py`, `tape.py` |
| memory beside the buffers | `workspace.py`; who has trapped `traps.py` |
| what a watchdog of grid barriers has found | `watchdog.py` |
| waiting and measuring | `waiting.py`, `stopwatch.py` |
| arrays of callers on the device | `arrays.py` |
| what it needs of a device | `device.py`, `arguments.py`, `memory.py` |
| CuPy, which nothing else imports | `cupy_device.py`, `cupy_errors.py`, `cupy_nvrtc.py` |
| whether there is one | `presence.py` |

`vyre.testing.host_cuda` has a device that is the host, for tests.
"""
