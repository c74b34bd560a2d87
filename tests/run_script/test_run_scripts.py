"""Exported scripts: each prints the numbers of its run, and has only what the run needs."""

import ast
import functools
from math import inf, isfinite
from typing import NamedTuple

import numpy as np
import pytest
import torch

from bnviz.config import KNOBS, RunConfig
from bnviz.data import DATASETS
from bnviz.data.base import load
from bnviz.data.mnist import FOLDER_VARIABLE
from bnviz.live.web.script_routes import DIGITS_FILE, digits_file
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS, norms_for
from bnviz.records import Change
from bnviz.run_script import ScriptedRun, compose
from tests.data.idx_writer import write_set
from tests.run_script.drawn import drawn_runs, numbers_of_the_run, numbers_of_the_script

RUNS = drawn_runs(20)
# Runs that `make test` repeats in part: one of each kind of network, with changes.
QUICK = (3, 7, 11)
QUICK_STEPS = 12
# A run is judged up to the first line at which its own numbers in float32 and in float64 differ by
# this share. After that, rounding decides the numbers.
STABLE, VERY_STABLE = 1e-3, 1e-5
# Largest relative differences from the run, in float64 and in float32. Adam divides each gradient
# by its size, so a parameter whose gradient is 0 up to rounding moves by rounding alone.
TIGHT, LOOSE = {"sgd": 1e-6, "adam": 1e-3}, 1e-3
# Largest difference of the test accuracy in float32. In float64 it is one test example.
ACCURACY = 0.02
# Smallest share of all lines that are judged, over all runs.
LEAST_JUDGED = 0.8
# Maximum number of statements, so that a script stays readable.
MOST_STATEMENTS = 150
# Knobs without an effect on a script, with the reason.
NO_EFFECT = {"device": "a script runs on the CPU, so on a GPU the numbers differ by rounding"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the files that scripts load."""
    torch.set_num_threads(1)
    made = tmp_path_factory.mktemp("exported")
    (made / DIGITS_FILE).write_bytes(digits_file())
    (made / "mnist").mkdir()
    write_set(made / "mnist")
    return made


class Found(NamedTuple):
    """Largest differences of a script's numbers from its run's, on the judged lines."""

    exact: float  # relative, of the losses in float64
    rounded: float  # relative, of the losses in float32
    accuracy: float  # absolute, in float64
    accuracy_rounded: float  # absolute, in float32
    judged: float  # share of the lines that are judged
    finite: list  # numbers that are finite in the script, but in the run in neither precision


def apart(a, b, scale=1.0):
    """Return the difference of two numbers, 0 if both are not finite, infinite if only one is."""
    if isfinite(a) and isfinite(b):
        return abs(a - b) / scale
    return 0.0 if isfinite(a) == isfinite(b) else inf


def difference(there, here):
    """Return the largest relative difference of loss and test loss."""
    pairs = zip(there[:2], here[:2], strict=True)
    return max(apart(a, b, max(abs(a), 1e-6)) for a, b in pairs)


def compare(run, folder):
    exact, broke = numbers_of_the_run(run, torch.float64)
    rounded, _ = numbers_of_the_run(run, torch.float32)
    script = numbers_of_the_script(run, folder, torch.float64)
    script_rounded = numbers_of_the_script(run, folder, torch.float32)
    assert exact.keys() == script.keys() == script_rounded.keys()
    judged, largest = 0, [0.0] * 4
    for norm in run.config.norms:
        for step in sorted(step for step, name in exact if name == norm):
            key = step, norm
            own = difference(exact[key], rounded[key])
            if own > STABLE or step >= broke.get(norm, run.steps + 1):
                break
            judged += 1
            found = (
                difference(exact[key], script[key]),
                difference(rounded[key], script_rounded[key]) if own <= VERY_STABLE else 0.0,
                apart(exact[key][2], script[key][2]),
                apart(rounded[key][2], script_rounded[key][2]),
            )
            largest = list(map(max, largest, found))
    finite = [
        (key, number) for key in exact for number in range(2)
        if not isfinite(exact[key][number]) and not isfinite(rounded[key][number])
        and (isfinite(script[key][number]) or isfinite(script_rounded[key][number]))
    ]  # fmt: skip
    return Found(*largest, judged / len(exact), finite)


def problems(run, found):
    """Return the fields of `found` that are wrong, with their values."""
    one_example = 1.001 / len(load(run.config).test_labels)
    limits = {
        "exact": TIGHT[run.config.optimizer], "rounded": LOOSE,
        "accuracy": one_example, "accuracy_rounded": ACCURACY,
    }  # fmt: skip
    wrong = {name: getattr(found, name) for name in limits if getattr(found, name) > limits[name]}
    return wrong | ({"finite": found.finite} if found.finite else {})


@pytest.mark.parametrize("index", QUICK)
def test_a_script_prints_the_numbers_of_its_run(index, folder, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder / "mnist"))
    short = RUNS[index].config.replace(norms=RUNS[index].config.norms[:2], learning_rates=None)
    run = ScriptedRun(short, [c for c in RUNS[index].log if "learning_rates" not in c.values],
                      QUICK_STEPS)  # fmt: skip
    found = compare(run, folder)
    assert not problems(run, found)
    assert found.judged >= 0.3


@pytest.mark.verify
@pytest.mark.timeout(900)
def test_scripts_of_twenty_random_settings_print_their_runs_numbers(folder, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder / "mnist"))
    found = [compare(run, folder) for run in RUNS]
    for run, one in zip(RUNS, found, strict=True):
        config = run.config
        print(
            config.network,
            run.dataset,
            *config.norms,
            config.optimizer,
            *sorted(run.changed),
            f"{one.exact:.1e} {one.rounded:.1e} {one.accuracy_rounded:.4f} {one.judged:.0%}",
        )
    wrong = [
        (run.config.changed(), problem)
        for run, one in zip(RUNS, found, strict=True) if (problem := problems(run, one))
    ]  # fmt: skip
    assert not wrong
    assert np.mean([one.judged for one in found]) >= LEAST_JUDGED


def test_the_random_settings_have_every_entry_and_every_live_change():
    configs = [run.config for run in RUNS]
    assert {(c.network, norm) for c in configs for norm in c.norms} == {
        (network, norm) for network in NETWORKS for norm in norms_for(network)
    }
    assert {c.dataset for c in configs} == set(DATASETS)
    for knob in ("optimizer", "activation", "init", "loss", "input_scaling", "norm_position"):
        assert {getattr(c, knob) for c in configs} == set(KNOBS[knob].choices), knob
    changed = set().union(*(run.changed for run in RUNS))
    assert changed >= {"learning_rate", "batch_size", "momentum", "weight_decay", "rate_factors",
                       "norm_statistics", "scale_weights"}  # fmt: skip


def test_every_entry_of_a_registry_has_a_part():
    missing = []
    for network in NETWORKS:
        for knob, values in {
            "norms": [norms_for(network)[at : at + 4] for at in range(0, len(NORMS), 4)],
            "dataset": [name for name in DATASETS if NETWORKS[network].takes(name)],
            "optimizer": KNOBS["optimizer"].choices, "activation": KNOBS["activation"].choices,
            "init": KNOBS["init"].choices, "loss": KNOBS["loss"].choices,
            "input_scaling": KNOBS["input_scaling"].choices,
        }.items():  # fmt: skip
            for value in filter(None, values):
                try:
                    config = RunConfig(network=network, width=16, **{knob: value})
                    ast.parse(compose(ScriptedRun(config)))
                except (LookupError, SyntaxError) as problem:
                    missing.append((network, knob, value, str(problem)))
    assert not missing
    assert set().union(*map(norms_for, NETWORKS)) == set(NORMS)


# Another value of each knob, and other knobs without which it has no effect.
OTHER_VALUES = {
    "dataset": ("xor", {}), "noise": (0.5, {}), "input_scaling": ("unit", {}),
    "norms": (("none", "layer"), {}), "network": ("conv", {}),
    "sequence": ("pixels", {"network": "recurrent"}), "depth": (3, {}), "width": (7, {}),
    "skip": (2, {}), "activation": ("relu", {}), "init": ("he", {}),
    "init_std": (0.5, {"init": "normal"}), "branch_start": (0.5, {"skip": 2}),
    "loss": ("squared", {}), "learning_rate": (0.7, {}), "learning_rates": ((0.1, 0.2), {}),
    "rate_factors": ((1.0, 2.0, 1.0), {}), "batch_size": (9, {}), "optimizer": ("adam", {}),
    "momentum": (0.5, {}), "weight_decay": (0.1, {}), "norm_eps": (0.1, {}),
    "norm_momentum": (None, {}), "norm_statistics": ("running", {}), "norm_affine": (False, {}),
    "norm_position": ("after", {}), "norm_groups": (10, {"norms": ("group",)}),
    "dropout": (0.5, {"norms": ("dropout",)}), "ghost_size": (5, {"norms": ("ghost",)}),
    "recurrent_gamma": (0.5, {"network": "recurrent"}),
    "ablation_statistics": ("mean", {"norms": ("ablated",)}),
    "ablation_gradient": (False, {"norms": ("ablated",)}),
    "ablation_affine": (False, {"norms": ("ablated",)}),
    "ablation_bias": (True, {"norms": ("ablated",)}),
    "ablation_layers": ((1,), {"norms": ("ablated",)}), "seed": (3, {}),
}  # fmt: skip


def code(script):
    """Return a script without its docstring, which names the setting."""
    return script.split('"""', 2)[2]


@functools.cache
def script_of(config):
    """Return the code of a run without changes."""
    return code(compose(ScriptedRun(config)))


def test_every_knob_changes_the_script():
    unused = []
    for knob in KNOBS:
        if knob in NO_EFFECT:
            continue
        value, others = OTHER_VALUES[knob]
        before, after = RunConfig(**others), RunConfig(**{**others, knob: value})
        if script_of(before) == code(compose(ScriptedRun(after))):
            unused.append(knob)
    assert not unused


def test_every_live_change_is_in_the_script():
    values = {
        "learning_rate": 0.3, "learning_rates": (0.1, 0.3), "rate_factors": (1.0, 1.0, 2.0),
        "batch_size": 7, "momentum": 0.3, "weight_decay": 0.3, "norm_statistics": "running",
        "scale_weights": (3.0, 2),
    }  # fmt: skip
    assert {name for name, knob in KNOBS.items() if knob.live} < set(values)
    for name, value in values.items():
        script = compose(ScriptedRun(RunConfig(), [Change(5, {name: value})], 10))
        assert "CHANGES = {5: {" in script.replace("{\n    5", "{5"), name
        assert "CHANGES" not in compose(ScriptedRun(RunConfig(), [Change(15, {name: value})], 10))


def test_a_script_is_short_and_needs_numpy_and_torch_alone():
    for run in RUNS:
        script = compose(run)
        tree = ast.parse(script)
        statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
        imported = {
            (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).split(".")[0]
            for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
        }  # fmt: skip
        assert imported <= {"numpy", "torch", "functools", "gzip", "math", "pathlib"}
        assert "bnviz_" not in code(script)
        most = MOST_STATEMENTS + 30 * len(run.config.norms)
        assert len(statements) <= most
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not names & {"config", "run", "biased", "uses_step"}
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                assert node.name in names, f"{node.name} is not used"


def test_the_default_script_fits_on_two_pages():
    script = compose(ScriptedRun(RunConfig()))
    assert len(script.splitlines()) <= 160
    assert max(map(len, script.splitlines())) <= 100
    assert "nn.BatchNorm1d" in script
    assert "nn.BatchNorm2d" not in script


def test_a_run_on_stand_in_data_gets_their_script():
    run = ScriptedRun(RunConfig(dataset="mnist"), (), 10, "digits")
    assert DIGITS_FILE in compose(run)
