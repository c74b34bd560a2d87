"""`/trained/<name>`: each network is trained once, in a separate process, for all requests."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from bnviz.live.web import trained_networks
from bnviz.live.web.trained_networks import TrainedNetworks, TrainingFailed

WRITES = "import sys; sys.stdout.write('networks')"
FAILS = "import sys; sys.exit(3)"
SILENT = "pass"
SLEEPS = "import time; time.sleep(600)"


@pytest.fixture
def processes(monkeypatch):
    """Return a function that makes the next training processes run other code, and that returns the
    list of these processes.
    """
    begun = []

    def script(*codes):
        waiting = list(codes)
        real = asyncio.create_subprocess_exec

        async def begin(program, *arguments, **options):
            assert arguments[:2] == ("-m", "bnviz.trained")
            process = await real(program, "-c", waiting.pop(0), **options)
            begun.append((arguments[2], process))
            return process

        monkeypatch.setattr(trained_networks.asyncio, "create_subprocess_exec", begin)
        return begun

    return script


def test_all_who_ask_wait_for_one_process_and_later_ones_for_none(processes):
    begun = processes(WRITES)

    async def ask():
        networks = TrainedNetworks()
        first = await asyncio.gather(*(networks.get("compose-batch") for _ in range(5)))
        return [*first, await networks.get("compose-batch")]

    assert asyncio.run(ask()) == [b"networks"] * 6
    assert [name for name, _ in begun] == ["compose-batch"]


def test_who_goes_away_does_not_take_it_from_those_who_wait(processes):
    begun = processes(WRITES)

    async def ask():
        networks = TrainedNetworks()
        gone = asyncio.create_task(networks.get("compose-batch"))
        stays = asyncio.create_task(networks.get("compose-batch"))
        await asyncio.sleep(0)
        gone.cancel()
        return await stays

    assert asyncio.run(ask()) == b"networks"
    assert len(begun) == 1


def test_one_process_works_at_a_time(processes):
    begun = processes(WRITES, WRITES)

    async def ask():
        networks = TrainedNetworks()
        both = asyncio.gather(networks.get("compose-batch"), networks.get("shift-outside"))
        running = []
        while not both.done():
            running.append(sum(process.returncode is None for _, process in begun))
            await asyncio.sleep(0.001)
        return max(running), await both

    assert asyncio.run(ask()) == (1, [b"networks"] * 2)


@pytest.mark.parametrize("code", [FAILS, SILENT])
def test_what_did_not_work_is_tried_again_when_it_is_asked_for(processes, code):
    begun = processes(code, WRITES)

    async def ask():
        networks = TrainedNetworks()
        with pytest.raises(TrainingFailed):
            await networks.get("compose-batch")
        return await networks.get("compose-batch")

    assert asyncio.run(ask()) == b"networks"
    assert len(begun) == 2


def test_what_takes_too_long_is_ended(processes):
    begun = processes(SLEEPS)

    async def ask():
        with pytest.raises(TrainingFailed):
            await TrainedNetworks(longest=0.2).get("compose-batch")

    asyncio.run(ask())
    assert begun[0][1].returncode is not None


def test_a_browser_gets_bytes_or_a_reason(processes):
    processes(FAILS, WRITES)
    routes = [Route("/base/trained/{name}", TrainedNetworks().answer)]
    with TestClient(Starlette(routes=routes)) as client:
        failed = client.get("/base/trained/compose-batch")
        assert failed.status_code == 503
        assert "could not train the networks" in failed.json()["message"]
        found = client.get("/base/trained/compose-batch")
        assert (found.status_code, found.content) == (200, b"networks")
        assert "max-age" in found.headers["cache-control"]
        assert client.get("/base/trained/other").status_code == 404
