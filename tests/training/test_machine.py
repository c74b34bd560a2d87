"""Results on one machine are equal in any process, with any initial number of threads."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import torch
from threadpoolctl import threadpool_info

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.training.machine import torch_device, use_one_thread

ROOT = Path(__file__).resolve().parents[2]

# Program that prints a digest. Its first allocation moves all later allocations to other addresses.
PROGRAM = """
import torch
from tests.training.test_machine import digest
torch.empty(1001)
print(digest())
"""


def digest() -> str:
    """Return a hash of the weights of four networks after six steps."""
    config = RunConfig(
        depth=3, batch_size=200, norms=("none", "batch", "layer", "rms"), device="cpu"
    )
    experiment = Experiment(config)
    for _ in range(6):
        experiment.step()
    experiment.snapshot()
    flat = b"".join(network.flat.numpy().tobytes() for network in experiment.networks.values())
    return hashlib.sha256(flat).hexdigest()


def test_torch_and_blas_use_one_thread() -> None:
    use_one_thread()
    assert torch.get_num_threads() == 1
    blas = [part["num_threads"] for part in threadpool_info() if part["user_api"] == "blas"]
    assert blas
    assert set(blas) == {1}


def test_another_process_finds_the_same_bits() -> None:
    threads = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT, env={**os.environ, **threads}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == digest()


def test_a_gpu_is_set_to_repeat_its_bits_before_it_is_used() -> None:
    assert torch_device("cuda") == torch.device("cuda")
    backends = torch.backends
    assert backends.cudnn.deterministic
    assert not backends.cudnn.benchmark
    assert not backends.cudnn.allow_tf32
    assert not backends.cuda.matmul.allow_tf32
