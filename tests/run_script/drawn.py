"""Random settings and changes of runs, and the numbers of their runs and scripts."""

from __future__ import annotations

import io
import runpy
from contextlib import chdir, redirect_stdout
from pathlib import Path

import numpy as np
import torch

from bnviz.config import ConfigError, RunConfig, with_change
from bnviz.data import DATASETS
from bnviz.experiment import Experiment, every_step, stops
from bnviz.networks import NETWORKS
from bnviz.norms import norms_for
from bnviz.records import Change
from bnviz.run_script import ScriptedRun, compose

STEPS = 30


def drawn_runs(count: int, seed: int = 0) -> list[ScriptedRun]:
    """Return runs that together have every network, norm, data set and optimizer."""
    generator = np.random.default_rng(seed)
    waiting = {network: [] for network in NETWORKS}
    runs = []
    while len(runs) < count:
        network = list(NETWORKS)[len(runs) % len(NETWORKS)]
        if len(waiting[network]) < 4:
            waiting[network] += generator.permutation(norms_for(network)).tolist()
        norms = tuple(dict.fromkeys(waiting[network][:4]))
        datasets = [name for name in DATASETS if NETWORKS[network].takes(name)]
        try:
            config = _config(generator, network, norms, datasets[len(runs) // 3 % len(datasets)])
        except ConfigError:
            continue
        del waiting[network][:4]
        log = _changes(generator, config) if len(runs) % 2 else []
        runs.append(ScriptedRun(config, log, STEPS))
    return runs


def _config(generator, network: str, norms: tuple[str, ...], dataset: str) -> RunConfig:
    def one_of(*values):
        return values[generator.integers(len(values))]

    def between(low: float, high: float) -> float:
        return float(f"{np.exp(generator.uniform(np.log(low), np.log(high))):.3g}")

    optimizer = one_of("sgd", "sgd", "adam")
    init = one_of("glorot", "he", "orthogonal", "normal")
    after = one_of("before", "before", "after") if network != "recurrent" else "before"
    top = 0.3 if optimizer == "sgd" else 0.01
    skip = one_of(0, 1, 2) if network == "mlp" and after == "before" else 0
    depth = {"mlp": one_of(2, 3, 5), "conv": one_of(1, 2, 3), "recurrent": 1}[network]
    knobs = {
        "dataset": dataset, "network": network, "norms": norms, "optimizer": optimizer,
        "noise": one_of(None, 0.0, 0.2),
        "input_scaling": one_of("standardize", "per_feature", "unit", "binary"),
        "sequence": one_of("rows", "rows", "pixels") if dataset == "digits" else "rows",
        "depth": depth, "width": one_of(8, 12, 20), "skip": skip,
        "activation": one_of("sigmoid", "tanh", "relu", "gelu", "linear"),
        "init": init, "init_std": between(0.05, 0.5) if init == "normal" else None,
        "branch_start": one_of(1.0, 0.5, 0.0), "loss": one_of("cross_entropy", "squared"),
        "learning_rate": between(0.005, top),
        "learning_rates": one_of(None, tuple(between(0.005, top) for _ in norms)),
        "rate_factors": one_of((1.0, 1.0, 1.0), (0.5, 2.0, 0.0)),
        "batch_size": one_of(2, 7, 20, 33), "momentum": one_of(0.0, 0.5, 0.9),
        "weight_decay": one_of(0.0, between(1e-4, 1e-2)), "norm_eps": between(1e-5, 1e-2),
        "norm_momentum": one_of(None, 0.1, 0.3),
        "norm_statistics": one_of("batch", "batch", "batch", "running"),
        "norm_affine": one_of(True, True, False), "norm_position": after,
        "norm_groups": one_of(2, 4), "dropout": one_of(0.1, 0.5), "ghost_size": one_of(2, 5),
        "recurrent_gamma": between(0.1, 1),
        "ablation_statistics": one_of("both", "mean", "variance"),
        "ablation_gradient": one_of(True, False), "ablation_affine": one_of(True, False),
        "ablation_bias": one_of(True, False), "ablation_layers": one_of(None, (1,)),
        "seed": int(generator.integers(2**31)),
    }  # fmt: skip
    return RunConfig(**knobs)


def _changes(generator, config: RunConfig) -> list[Change]:
    """Return random changes before the first steps, a drag among them."""
    values = {
        "learning_rate": 0.02, "learning_rates": None, "rate_factors": (1.0, 0.5, 2.0),
        "batch_size": int(generator.choice([1, 5, 40])), "momentum": 0.3, "weight_decay": 0.01,
        "norm_statistics": "running", "scale_weights": (1.5, None),
    }  # fmt: skip
    if config.network != "recurrent":
        values["scale_weights"] = (0.7, 1)
    changes = []
    for step in sorted(generator.choice(np.arange(1, STEPS - 5), 5, replace=False).tolist()):
        name = str(generator.choice(list(values)))
        config, found = with_change(config, {name: values[name]})
        changes.append(Change(step, found))
    for step in (STEPS - 4, STEPS - 4, STEPS - 3):
        rate = float(f"{generator.uniform(0.005, 0.02):.2g}")
        changes.append(Change(step, {"learning_rate": rate}, drag=1))
    return changes


def numbers_of_the_run(run: ScriptedRun, dtype: torch.dtype):
    """Return loss, test loss and test accuracy by (step, network), and the steps of breaks."""
    experiment = Experiment(run.config, dtype=dtype)
    found, broke = {}, {}
    for step in stops(experiment, every_step(run.steps, run.every), run.log):
        for norm, record in experiment.snapshot(()).networks.items():
            found[step, norm] = record.loss, record.test_loss, record.test_accuracy
            if record.broke is not None:
                broke[norm] = record.broke.step
    return found, broke


def numbers_of_the_script(run: ScriptedRun, folder: Path, dtype: torch.dtype):
    """Run the script in `folder`, and return what it prints, by (step, network)."""
    script = compose(run).replace("torch.float32)", f"{dtype})").replace(":.7g}", ":.15g}")
    path = folder / "exported.py"
    path.write_text(script, encoding="utf-8")
    said = io.StringIO()
    try:
        with chdir(folder), redirect_stdout(said):
            runpy.run_path(str(path))
    finally:
        torch.set_default_dtype(torch.float32)
    rows = (line.split() for line in said.getvalue().splitlines()[1:])
    return {(int(step), norm): tuple(map(float, numbers)) for step, norm, *numbers in rows}
