"""Worker whose GPU is simulated by the CPU.

Run as `python -m tests.live.stand_in_gpu` with a worker's arguments. Only the GPU process sees the
GPU. A network with `TOO_WIDE` units per layer runs out of memory. A network with `LOST_WIDTH` units
per layer makes the whole GPU unusable.
"""

import os
import sys

import torch

from bnviz import device, experiment
from bnviz.live.protocol.wire import USES_GPU
from bnviz.live.worker.__main__ import main
from bnviz.training import machine

GPU = device.Gpu("Stand-in 1", 80 * 2**30)
TOO_WIDE, LOST_WIDTH = 511, 510

_step = experiment.Experiment.step_in_pieces


def _step_on_gpu(self):
    width = self.config.width
    if self.resolved_device == "cuda" and width in (TOO_WIDE, LOST_WIDTH):
        raise (torch.OutOfMemoryError if width == TOO_WIDE else torch.AcceleratorError)("injected")
    return _step(self)


if __name__ == "__main__":
    if USES_GPU in sys.argv:
        device.tell(GPU)
        machine.torch_device = lambda name: torch.device("cpu")
        experiment.Experiment.step_in_pieces = _step_on_gpu
    elif os.environ["CUDA_VISIBLE_DEVICES"] != "":
        sys.exit("A worker sees a GPU.")
    main()
