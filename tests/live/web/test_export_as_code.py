"""Downloads of a run as a PyTorch script and of its weights."""

import ast
import io

import numpy as np
import torch
from starlette.testclient import TestClient

from bnviz.experiment import Experiment
from bnviz.live import current_hub
from bnviz.run_script import ScriptedRun, compose
from tests.live.conftest import OWNER, SMALL, until


def arrays(client, run):
    answer = client.get(f"/x/export/{run}.npz")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"].endswith('.npz"')
    with np.load(io.BytesIO(answer.content), allow_pickle=False) as file:
        return dict(file)


def test_the_script_is_that_of_the_run_up_to_its_newest_step(client: TestClient, run: str):
    answer = client.get(f"/x/export/{run}.py")
    assert answer.headers["content-type"].startswith("text/x-python")
    assert 'filename="bnviz-digits-' in answer.headers["content-disposition"]
    assert answer.text == compose(ScriptedRun(SMALL, (), 15))
    ast.parse(answer.text)


def test_the_weights_are_those_of_the_newest_step(client: TestClient, run: str):
    found = arrays(client, run)
    assert found["step"] == 15
    assert str(found["setting"]) == "depth=2&width=16&batch_size=16"
    experiment = Experiment(SMALL)
    experiment.advance(15)
    for norm, network in experiment.networks.items():
        for name, value in {**network.parameters(), **network.buffers()}.items():
            here = found[f"{norm}/{name.replace(' ', '').replace('.', '/')}"]
            assert torch.equal(torch.from_numpy(here), value), (norm, name)
    assert len(found) == 2 + sum(
        len(network.parameters()) + len(network.buffers())
        for network in experiment.networks.values()
    )


def test_a_live_change_is_in_the_script(client: TestClient):
    hub = current_hub()
    run = hub.start(OWNER, SMALL, pace="fast", paused=True)
    until(lambda: len(hub.registry.runs[run].history))
    hub.set_knobs(OWNER, run, scale_weights=(2.0, None))
    hub.pause(OWNER, run)
    until(lambda: hub.info(run).changes)
    script = client.get(f"/x/export/{run}.py").text
    assert '"scale_weights": [(2.0, None)]' in script


def test_the_weights_of_a_running_run_are_of_a_step_after_the_request(client: TestClient):
    hub = current_hub()
    run = hub.start(OWNER, SMALL, pace="fast")
    until(lambda: hub.info(run).step >= 5)
    low = hub.info(run).step
    found = arrays(client, run)
    assert found["step"] >= low
    hub.pause(OWNER, run)


def test_the_script_ends_at_the_step_that_is_asked_for(client: TestClient, run: str):
    script = client.get(f"/x/export/{run}.py?steps=7").text
    assert script == compose(ScriptedRun(SMALL, (), 7))
    for steps in ("16", "-1", "all"):
        refused = client.get(f"/x/export/{run}.py?steps={steps}")
        assert refused.status_code == 400
        assert (refused.json()["field"], refused.json()["value"]) == ("steps", steps)
