"""Forward pass of small networks in JavaScript, compared with the engine."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from bnviz.experiment import Experiment
from bnviz.networks.inference import predict
from bnviz.trained import RECIPES
from bnviz.ui.lesson_widgets import module_of, shift_outside_data
from tests.browser.widgets.conftest import trained_networks, trained_run
from tests.browser.widgets.words import given as with_words

LOGITS = """async ({ name, norm, batches, own, folded }) => {
  const m = await import("/assets/v1/widgets/lib/trained_networks.js");
  const trained = await m.trainedNetworks("", name);
  const network = folded ? trained.networks[norm].folded() : trained.networks[norm];
  const found = batches.map((batch) => [...network.logits(trained.rows(batch), { own })]);
  return JSON.stringify(found); // Playwright takes a message apart number by number
}"""
CHANGED = """async ({ name, contrast, brightness }) => {
  const m = await import("/assets/v1/widgets/lib/trained_networks.js");
  return JSON.stringify([...(await m.trainedNetworks("", name)).changed(contrast, brightness)]);
}"""
PAIRS = [("compose-batch", "batch"), ("shift-outside", "none"), ("shift-outside", "batch")]


@pytest.fixture(scope="module")
def runs():
    return {name: trained_run(name) for name in RECIPES}


def exact(run: Experiment, norm: str):
    """Return a float64 copy of a network with the same weights and buffers."""
    network = run.networks[norm]
    twin = Experiment(run.initial_config, dtype=torch.float64).networks[norm]
    twin.flat.copy_(network.flat)
    for name, buffer in twin.buffers().items():
        buffer.copy_(network.buffers()[name])
    return twin


def batches(run: Experiment) -> list[list[int]]:
    """Return batches of 2 to 64 image indices, because the engine rejects single images."""
    draw = np.random.default_rng(7)
    images = len(run.data.test_labels)
    return [draw.integers(images, size=size).tolist() for size in (2, 2, 3, 7, 8, 31, 64, 64)]


def rows(run: Experiment, batch: list[int], dtype=torch.float64) -> torch.Tensor:
    return torch.from_numpy(run.data.test_inputs[batch]).to(dtype)


def beta_alone(network) -> np.ndarray:
    """Return the logits if every unit outputs β before its nonlinearity."""
    beta = network.norms[-1].parameters["beta"]
    logits = torch.tanh(beta) @ network.output_weight.T + network.output_bias
    return logits.numpy()


def logits_of(blank, name: str, norm: str, asked: list[list[int]], **how: bool) -> list[np.ndarray]:
    """Return the browser's logits of each batch as a flat array."""
    given = {"name": name, "norm": norm, "batches": asked, "folded": False, **how}
    return [np.array(each) for each in json.loads(blank.evaluate(LOGITS, given))]


def test_logits_of_batches_of_many_sizes_are_the_engines(blank, runs):
    for (name, norm), own in itertools.product(PAIRS, (True, False)):
        network, asked = exact(runs[name], norm), batches(runs[name])
        for batch, logits in zip(asked, logits_of(blank, name, norm, asked, own=own), strict=True):
            known = network.forward(rows(runs[name], batch), training=own).logits.numpy().ravel()
            where = f"{name}, {norm}, {own=}, {len(batch)} images"
            np.testing.assert_allclose(logits, known, rtol=1e-8, atol=1e-9, err_msg=where)


def test_they_are_those_of_the_run_but_for_its_float32(blank, runs):
    """Use one batch of all images: in a batch of two similar images, rounding errors would grow."""
    for (name, norm), own in itertools.product(PAIRS, (True, False)):
        run = runs[name]
        every = list(range(len(run.data.test_labels)))
        (logits,) = logits_of(blank, name, norm, [every], own=own)
        known = run.networks[norm].forward(rows(run, every, torch.float32), training=own).logits
        np.testing.assert_allclose(
            logits, known.numpy().ravel(), rtol=1e-4, atol=1e-4, err_msg=f"{name}, {norm}, {own=}"
        )


def test_folded_no_answer_changes_and_no_logit_but_for_rounding(blank, runs):
    run = runs["compose-batch"]
    every = list(range(len(run.data.test_labels)))
    folded, usual = (
        logits_of(blank, "compose-batch", "batch", [every], own=False, folded=way)[0].reshape(
            len(every), -1
        )
        for way in (True, False)
    )
    assert 0 < np.abs(folded - usual).max() < 1e-5
    assert (folded.argmax(1) == usual.argmax(1)).all()
    known = predict(run.networks["batch"], rows(run, every, torch.float32)).numpy()
    np.testing.assert_allclose(folded, known, rtol=1e-4, atol=1e-4)


def test_alone_every_image_gets_the_same_which_is_what_beta_gives(blank, runs):
    run = runs["compose-batch"]
    alone = [[index] for index in range(0, 359, 30)]
    for logits in logits_of(blank, "compose-batch", "batch", alone, own=True):
        assert logits == pytest.approx(beta_alone(exact(run, "batch")), rel=1e-12)


def test_changed_images_are_scaled_pixels_and_not_clipped(blank, runs):
    data = runs["shift-outside"].data
    raw = data.test_inputs.astype(np.float64) * data.input_std + data.input_mean
    for contrast, brightness in [(0.5, 0.5), (2, -0.5), (1, 0)]:
        known = (contrast * raw + brightness - data.input_mean) / data.input_std
        given = {"name": "shift-outside", "contrast": contrast, "brightness": brightness}
        np.testing.assert_allclose(
            json.loads(blank.evaluate(CHANGED, given)), known.ravel(), rtol=1e-9, atol=1e-12,
            err_msg=f"{contrast=}, {brightness=}",
        )  # fmt: skip


def test_networks_that_do_not_come_can_be_asked_for_again(open_widget):
    data = with_words("shift_outside", {**shift_outside_data(), "base": "/nowhere"})
    widget = open_widget(module_of("shift_outside"), data)
    sentence = widget.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_have_text("The data did not arrive from the server.")
    again = widget.root.get_by_role("button", name="Try again")
    again.press("Enter")
    expect(sentence).to_have_text("The data did not arrive from the server.")
    expect(again).to_be_focused()
    widget.page.route(
        "**/nowhere/trained/*",
        lambda route: route.fulfill(body=trained_networks("shift-outside")),
    )
    again.press("Enter")
    expect(sentence).to_contain_text("Contrast 1.0, brightness 0.0")
    expect(again).to_be_hidden()
