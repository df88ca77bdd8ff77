"""What all dispatches on a device share."""

from vyre.runtime.cuda.device import CudaDevice, Handle
from vyre.runtime.cuda.kernels import KernelLoader
from vyre.runtime.cuda.tape import TapePlayer
from vyre.runtime.cuda.waiting import Pace


class CudaEngine:
    """
    A device and the stream that all work goes to, so that it is done in order, whichever
    thread enqueues it. `watchdog` is for the grid barriers of its kernels.

    Example: `CudaEngine(device).stream`
    """

    def __init__(
        self, device: CudaDevice, stream: object = None, watchdog: int | None = None
    ):
        self.device = device
        self.watchdog = watchdog
        self.stream: Handle = (
            device.new_stream() if stream is None else device.given_stream(stream)
        )
        self.loader = KernelLoader(device)
        self.player = TapePlayer(device)
        self.pace = Pace(device, self.stream)
