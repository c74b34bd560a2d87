"""One machine, one result: in any process, with any number of threads to begin with."""

import os
import subprocess
import sys

import pytest
import torch
from threadpoolctl import threadpool_info

from bnviz.training.machine import use_one_thread

PROGRAM = """
import hashlib
import torch
from bnviz.config import RunConfig
from bnviz.experiment import Experiment

torch.empty({offset})
experiment = Experiment(RunConfig(depth=3, batch_size=200, norms=("none", "batch", "layer", "rms"),
                                  device="cpu"))
for _ in range(20):
    experiment.step()
    experiment.snapshot()
flat = b"".join(network.flat.numpy().tobytes() for network in experiment.networks.values())
print(hashlib.sha256(flat).hexdigest())
"""


def test_torch_and_blas_use_one_thread() -> None:
    use_one_thread()
    assert torch.get_num_threads() == 1
    blas = [part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas"]
    assert blas
    assert set(blas) == {1}


@pytest.mark.timeout(240)
def test_other_processes_find_the_same_bits() -> None:
    found = set()
    for threads, offset in (("1", 3), ("2", 1001)):
        variables = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(offset=offset)],
            env={**os.environ, **variables}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.add(done.stdout.strip())
    assert len(found) == 1
    assert len(found.pop()) == 64
