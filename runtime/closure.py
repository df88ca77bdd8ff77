"""
Any function as an engine.

```python
def launch(program, arguments, geometry):
    # Run `program` on `arguments`, by name: arrays to be changed in place, and numbers.
    ...


vyre.compile(file, engine=launch)(x=array)
```

The function never sees a grid barrier: programs are split before. It is called once per
segment, in order, with the same arrays.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from vyre.dialects.vyre import ProgramOp
from vyre.runtime.backend import Launch, is_buffer
from vyre.runtime.geometry import Geometry
from vyre.runtime.host_memory import HostBackend, as_array

Launcher = Callable[[ProgramOp, Mapping[str, NDArray[Any] | np.generic], Geometry], None]


class ClosureBackend(HostBackend):
    """
    Calls a function for each launch.

    Example: `ClosureBackend(lambda program, arguments, geometry: None)`
    """

    name = "closure"

    def __init__(self, launcher: Launcher):
        self._launcher = launcher

    @override
    def launch(self, launch: Launch) -> None:
        names = [entry.entry_name.data for entry in launch.program.launch_table]
        values = [as_array(a) if is_buffer(a) else a for a in launch.arguments]
        self._launcher(launch.program, dict(zip(names, values)), launch.geometry)
