"""Comparison of the layer on page `in-code` with PyTorch and the engine; checks of its faults."""

import inspect
import re

import pytest
import torch
from torch import nn

from bnviz.lessons.in_code import FAULTS, VALUES, line_numbers, measured, source
from bnviz.lessons.in_code.checks import CHECKS, measure
from bnviz.lessons.in_code.faulty import FaultyBatchNorm
from bnviz.lessons.in_code.layer import BatchNorm
from bnviz.norms.batch import BatchNorm as EnginesBatchNorm
from bnviz.words.texts import texts
from tests.every_case import every_case

TIGHT = {"rtol": 0, "atol": 1e-12}
UNITS = 5
OWN = texts("lessons/in-code")


def normal(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).double()


def pair(make, seed, **settings):
    """Return a layer of class `make` and PyTorch's layer, in float64 with the same γ and β."""
    ours, theirs = make(UNITS, **settings).double(), nn.BatchNorm1d(UNITS, **settings).double()
    with torch.no_grad():
        for layer in (ours, theirs):
            gamma, beta = layer.parameters()
            gamma.copy_(normal(UNITS, seed=seed))
            beta.copy_(normal(UNITS, seed=seed + 1))
    return ours, theirs


def result_and_gradients(layer, x, back):
    x = x.clone().requires_grad_()
    layer.zero_grad()
    y = layer(x)
    y.backward(back)
    return [y.detach(), x.grad, *(each.grad for each in layer.parameters())]


@every_case("seed", range(5))
def test_the_layer_is_pytorchs_own_forward_backward_and_in_use(seed):
    m = (2, 3, 8, 60, 240)[seed]
    ours, theirs = pair(BatchNorm, seed, momentum=0.3, eps=1e-3)
    for step in range(4):
        x, back = (normal(m, UNITS, seed=100 * seed + step + at) for at in (0, 50))
        for mine, other in zip(*(result_and_gradients(each, x, back) for each in (ours, theirs)),
                               strict=True):  # fmt: skip
            torch.testing.assert_close(mine, other, **TIGHT)
    torch.testing.assert_close(ours.running_mean, theirs.running_mean, **TIGHT)
    torch.testing.assert_close(ours.running_var, theirs.running_var, **TIGHT)
    ours.eval(), theirs.eval()
    for mine, other in zip(*(result_and_gradients(each, x, back) for each in (ours, theirs)),
                           strict=True):  # fmt: skip
        torch.testing.assert_close(mine, other, **TIGHT)


def test_the_layer_is_the_engines_forward_backward_and_in_use():
    ours, _ = pair(BatchNorm, 7)
    engine = EnginesBatchNorm(UNITS, momentum=ours.momentum, dtype=torch.float64)
    with torch.no_grad():
        for parameter, name in zip(ours.parameters(), ("gamma", "beta"), strict=True):
            engine.parameters[name].copy_(parameter)
    for step in range(4):
        x, back = normal(8, UNITS, seed=step), normal(8, UNITS, seed=50 + step)
        y, dx, dgamma, dbeta = result_and_gradients(ours, x, back)
        theirs, cache = engine.forward(x, training=True)
        engine.update_statistics(cache)
        theirs_dx = engine.backward(back, cache)
        torch.testing.assert_close(y, theirs, **TIGHT)
        torch.testing.assert_close(dx, theirs_dx, **TIGHT)
        torch.testing.assert_close(dgamma, engine.gradients["gamma"], **TIGHT)
        torch.testing.assert_close(dbeta, engine.gradients["beta"], **TIGHT)
    in_use = engine.forward(x, training=False)[0]
    torch.testing.assert_close(ours.eval()(x).detach(), in_use, **TIGHT)


def test_usual_settings_are_pytorchs():
    ours, theirs = BatchNorm(UNITS), nn.BatchNorm1d(UNITS)
    assert (ours.momentum, ours.eps) == (theirs.momentum, theirs.eps)
    cited = texts("citations")["torch"]["numbers"]
    assert (float(cited["momentum"]), float(cited["epsilon"])) == (theirs.momentum, theirs.eps)


def test_what_the_page_prints_is_what_the_checks_measure():
    found, told = measure(), measured()
    assert found.keys() == told.keys()
    for name, value in told.items():
        assert found[name] == pytest.approx(value, abs=0.01), name


def test_what_the_checks_find():
    found = measured()
    assert (found["saved"], found["followed"], found["mended_saved"], found["mended_followed"]) == (
        2, 2, VALUES["vectors"], VALUES["vectors"],
    )  # fmt: skip
    assert (found["nodes"], found["nodes_a_step"]) == (1 + 6 * VALUES["steps"], 6)
    assert found["mended_nodes"] == 0
    assert (found["passes"], found["mended_passes"]) == (False, True)
    assert found["stored"] == pytest.approx(1 - 1 / VALUES["few"], abs=0.01)
    assert found["mended_stored"] == pytest.approx(1, abs=0.01)
    assert (found["refused"], found["mended_refused"]) == (False, True)
    assert found["from_beta"] == pytest.approx(0, abs=1e-6)
    assert {fault.name: fault.right for fault in FAULTS} == {
        "saved": "learned", "graph": "grows", "backward": "fails", "variance": "small",
        "one": "beta",
    }  # fmt: skip


def test_the_checks_are_made_with_what_the_page_says():
    def usual(name, parameter):
        return inspect.signature(CHECKS[name]).parameters[parameter].default

    assert usual("graph", "steps") == VALUES["steps"]
    assert usual("variance", "m") == VALUES["few"]


@every_case("name", CHECKS)
def test_pytorchs_own_layer_passes_every_check_as_the_mended_one_does(name):
    results = []
    for make in (BatchNorm, nn.BatchNorm1d):
        torch.manual_seed(0)
        results.append(CHECKS[name](make))
    assert results[0] == pytest.approx(results[1], abs=1e-6)


def test_the_faulty_class_learns_as_the_other_one_does_and_so_is_not_found_out():
    ours, theirs = pair(FaultyBatchNorm, 3)
    x, back = normal(8, UNITS, seed=1), normal(8, UNITS, seed=2)
    for mine, other in zip(*(result_and_gradients(each, x, back) for each in (ours, theirs)),
                           strict=True):  # fmt: skip
        torch.testing.assert_close(mine, other, **TIGHT)


@every_case("fault", FAULTS)
def test_every_fault_has_its_words_its_check_and_its_lines(fault):
    said = OWN["fault"][fault.name]
    assert said.keys() == {"title", "asks", "says", "cause", "answers"}
    assert tuple(said["answers"]) == fault.answers
    assert fault.right in fault.answers
    assert CHECKS[fault.name].__name__ == fault.check
    assert f"def {fault.check}(" in source("checks.py", fault.check)
    assert bool(line_numbers(source("faulty.py", "FaultyBatchNorm"), fault.lines)) == bool(
        fault.lines
    )
    assert line_numbers(source("layer.py", "BatchNorm"), fault.mended)


def test_every_number_on_the_page_is_one_that_was_measured():
    named = set(re.findall(r"\{setting:(\w+)", str(OWN)))
    assert named <= {*measured(), *VALUES}
    assert {"nodes", "nodes_a_step", "stored", "saved"} <= named


def test_code_that_is_not_there_is_not_shown():
    with pytest.raises(KeyError):
        source("layer.py", "FaultyBatchNorm")
    with pytest.raises(ValueError, match="is not in list"):
        line_numbers(source("layer.py", "BatchNorm"), ("no such line",))
