"""Choice of the device for a config: a table, and the same choice in all parts of the code."""

import subprocess
import sys

import pytest
import torch

from bnviz import device
from bnviz.checks import check_size
from bnviz.config import ConfigError, RunConfig
from bnviz.device import CPU_LIMITS, Gpu, choose, gpu_limits, limits_of
from bnviz.experiment import Experiment, run
from bnviz.records import Change
from bnviz.training import machine
from tests.every_case import every_case

GPU = Gpu("Stand-in 1", 80 * 2**30)
SMALL = {"depth": 2, "width": 16, "batch_size": 16}

# Cases by name: knobs, device chosen for them on a machine with a GPU, and the reason.
TABLE = {
    "the default pair": ({}, "cpu", "small"),
    "a wide pair": ({"depth": 5, "width": 512, "batch_size": 256}, "cuda", "large"),
    "the largest": ({"depth": 50, "width": 512, "batch_size": 1024}, "cuda", "large"),
    "four of the largest": (
        {"depth": 50, "width": 512, "batch_size": 1024, "norms": ("none", "batch", "layer", "rms")},
        "cuda", "large",
    ),
    "deep, one example at a time": (
        {"depth": 50, "width": 512, "batch_size": 1, "norms": ("none", "layer")}, "cuda", "memory",
    ),
    "convolutional": ({"network": "conv"}, "cpu", "network"),
    "recurrent": ({"network": "recurrent"}, "cpu", "small"),
    "recurrent and wide": (
        {"network": "recurrent", "width": 256, "batch_size": 1024}, "cuda", "large",
    ),
    "asked for the CPU": ({"device": "cpu"}, "cpu", "asked"),
    "asked for the GPU": ({"device": "cuda"}, "cuda", "asked"),
}  # fmt: skip


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that this machine has a GPU, but compute on the CPU."""
    monkeypatch.setattr(device, "_told", [GPU])
    monkeypatch.setattr(machine, "torch_device", lambda name: torch.device("cpu"))


@every_case("case", TABLE)
def test_a_device_follows_from_the_config_and_the_machine(case, gpu):
    knobs, found, why = TABLE[case]
    config = RunConfig(**knobs)
    assert choose(config, GPU) == (found, why)
    if config.device == "auto" and why != "memory" and found == "cpu":
        assert choose(config, None) == ("cpu", "no_gpu")


def test_the_border_is_a_step_of_ten_milliseconds_by_estimate():
    sizes = [RunConfig(depth=3, width=200, norms=("none",), batch_size=n) for n in range(1, 1025)]
    chosen = [choose(config, GPU).device for config in sizes]
    seconds = [config.flops_per_step() / CPU_LIMITS.flops_per_second for config in sizes]
    assert chosen == ["cuda" if each > 0.01 else "cpu" for each in seconds]
    assert set(chosen) == {"cpu", "cuda"}


def test_a_run_keeps_its_device_through_changes_checkpoints_and_repeats(gpu):
    config = RunConfig(**SMALL)
    larger = Change(3, {"batch_size": 1024, "learning_rate": 0.3})
    experiment = Experiment(config)
    experiment.advance(3)
    experiment.update(**larger.values)
    experiment.advance(5)
    assert experiment.resolved_device == "cpu"
    restored = Experiment.restore(config, experiment.checkpoint())
    assert restored.resolved_device == "cpu"
    wide = RunConfig(depth=3, width=300, batch_size=1024, norms=("none",))
    assert Experiment(wide).resolved_device == "cuda"
    assert [snapshot.step for snapshot in run(config, steps=4, every=4, changes=[larger])] == [0, 4]


def test_a_change_that_only_the_other_device_allows_is_refused(gpu):
    experiment = Experiment(RunConfig(depth=20, width=256, batch_size=2, norms=("none",)))
    before = experiment.config
    with pytest.raises(ConfigError, match=r"0\.25 s"):
        experiment.update(batch_size=1024)
    assert experiment.config == before


def test_limits_are_those_of_the_device(gpu):
    assert limits_of("cpu") == CPU_LIMITS
    most = limits_of("cuda")
    assert most == gpu_limits(GPU)
    assert most.bytes_per_run > 8 * CPU_LIMITS.bytes_per_run
    laptop = gpu_limits(Gpu("small", 4 * 2**30))
    assert CPU_LIMITS.bytes_per_run < laptop.bytes_per_run < most.bytes_per_run
    huge = RunConfig(depth=50, width=512, batch_size=1024)
    check_size(huge, "cuda")
    with pytest.raises(ConfigError):
        check_size(huge, "cpu")


def test_without_a_gpu_a_large_run_is_refused_and_a_gpu_is_not_promised(monkeypatch):
    monkeypatch.setattr(device, "_told", [None])
    with pytest.raises(ConfigError, match=r"0\.25 s"):
        RunConfig(depth=50, width=512, batch_size=1024)
    assert limits_of("cuda") == CPU_LIMITS


@every_case("hidden", ["", "-1"])
def test_a_hidden_gpu_is_none(hidden):
    assert not device.driver_present({"CUDA_VISIBLE_DEVICES": hidden})


def test_asking_for_the_device_imports_no_torch():
    code = (
        "import sys; from bnviz.config import RunConfig; from bnviz.device import choose, this_gpu;"
        "choose(RunConfig(), this_gpu()); sys.exit('torch' in sys.modules)"
    )
    hidden = {"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": ":".join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=hidden, check=False).returncode == 0
