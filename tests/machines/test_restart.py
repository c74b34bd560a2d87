"""After a kill of the server, its runs, votes and talks continue from the saved state."""

from __future__ import annotations

import json
import math
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request

import orjson
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from bnviz.change_log import read_change
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body
from bnviz.live.saved.saved_runs import CHECKPOINT, RUN
from bnviz.live.saved.saved_talks import TALK
from bnviz.live.saved.secret import kept_secret
from bnviz.live.saved.state_file import StateFile
from bnviz.live.settings import Settings
from bnviz.live.web.owner import COOKIE, Issuer
from bnviz.live.worker.builder import catch_up_to
from bnviz.records import Change
from tests.conftest import ROOT
from tests.live.conftest import PATIENCE
from tests.live.runs.undisturbed import compared
from tests.machines.served_app import served_app

SERVE = [sys.executable, "-m", "tests.machines.restarted_server", "{port}"]
LIMITS = {
    "WORKERS": 2, "MAX_RUNS": 99, "RUNS_PER_OWNER": 99, "STARTS_PER_MINUTE": 9_999,
    "CHECKPOINT_SECONDS": 0.1, "HANG_SECONDS": 600, "SILENCE_SECONDS": 600,
    "COOKIES_PER_MINUTE": 9_999, "IDLE_SECONDS": 3_600,
}  # fmt: skip
# Step beyond which the long run and its forks are.
LONG = 5_000
PHONES, ANSWERS = 100, 4
QUESTION = {"text": "Which one breaks?", "answers": ["Neither", "With BN", "Without BN", "Both"]}
TALK_TEXT = 'title = "My talk"\n[[station]]\ntitle = "One"\n'
SMALL = {"dataset": "spirals", "depth": 1, "width": 2, "batch_size": 4, "norms": ["none"]}
DIVERGES = {**SMALL, "depth": 8, "width": 16, "activation": "linear", "learning_rate": 10.0}
# Runs apart from the long run and its four forks.
OTHERS = [DIVERGES, *({**SMALL, "seed": seed} for seed in range(1, 15))]


class Phone:
    """Phone of the hall. Its vote counts from the moment at which the server has answered."""

    def __init__(self, answer: int) -> None:
        self.answer, self.confirmed, self.cookie = answer, False, ""


class Lecture:
    """Lecture with twenty runs, a vote and a talk of one's own, whose server is killed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.state, self.random = folder, folder / "state", random.Random(seed)
        self.starts = 0
        secret = kept_secret(self.state)
        self.cookie = f"{COOKIE}={Issuer(Settings(secret=secret)).signer.new()}"
        self.runs: list[str] = []
        self.code = ""
        self.phones = [Phone(self.random.randrange(ANSWERS)) for _ in range(PHONES)]
        self.undisturbed = Undisturbed()

    @contextmanager
    def server(self, *, saves: bool = True) -> Iterator[None]:
        self.starts += 1
        limits = {f"BNVIZ_{name}": str(value) for name, value in LIMITS.items()}
        limits |= {"BNVIZ_SECRET": kept_secret(self.state)}
        log = self.folder / f"log{self.starts}"
        with served_app(
            SERVE, ROOT, log, BNVIZ_STATE_DIR=str(self.state) if saves else "", **limits
        ) as self.app:  # fmt: skip
            yield

    # Requests.

    def ask(self, path: str, body: Any = None, cookie: str = "", **headers: str) -> Any:
        """Return the JSON of an answer, or the answer itself."""
        data = None if body is None else json.dumps(body).encode()
        asked = Request(f"{self.app.address}{path}", data, {
            "Cookie": cookie or self.cookie, "Content-Type": "application/json",
            "Origin": self.app.address, **headers,
        })  # fmt: skip
        with self.app.open(asked) as answer:
            content = answer.read()
            return json.loads(content) if path.startswith("/call") else (answer, content)

    def call(self, name: str, /, **arguments: Any) -> Any:
        return self.ask(f"/call/{name}", arguments)

    def room(self, act: str = "", **body: Any) -> Any:
        path = f"/room/{self.code}/{act}" if act else f"/room/{self.code}"
        return json.loads(self.ask(path, body if act else None)[1])

    def watch(self, run: str) -> ClientConnection:
        return connect(
            f"{self.app.address.replace('http', 'ws')}/live/{run}", origin=self.app.address,  # type: ignore[arg-type]
            additional_headers={"Cookie": self.cookie}, proxy=None, max_size=None,
            ping_interval=None, close_timeout=0.1, max_queue=None,
        )  # fmt: skip

    # The lecture.

    def begin(self) -> None:
        """Start all runs, the talk and the class, and wait until they are saved."""
        long = self.call("start", config=SMALL, pace="full")
        self.call("advance", run_id=long, step=LONG + 20)
        self.runs = [self.call("start", config=config, pace="full") for config in OTHERS]
        with self.watch(long) as viewer:
            frame_at(viewer, LONG + 20)
        for number in range(4):
            changed = {"learning_rate": 0.3 / number} if number else {}
            step = LONG + number
            self.runs.append(self.call("fork", run_id=long, step=step, changed=changed))
        self.runs.append(long)
        with self.watch(self.runs[0]) as viewer:
            assert frame_at(viewer, 1)["run"] == self.runs[0]
            stopped(viewer, "diverged")
        self.call("pin", run_id=self.runs[1])
        self.call("pause", run_id=self.runs[2])
        self.talk = self.call("talk", text=TALK_TEXT)
        self.code = json.loads(self.ask("/room", {})[1])["code"]
        with ThreadPoolExecutor(16) as pool:
            [*pool.map(self.join, self.phones)]
        self.call("save")

    def join(self, phone: Phone) -> None:
        answer, _ = self.ask(f"/b/{self.code}", cookie="none=1", Accept="text/html")
        phone.cookie = answer.headers["Set-Cookie"].partition(";")[0]

    def disturb(self, votes: int, statement: int = 0) -> None:
        """Watch all runs, change some, let all phones vote, and kill the server meanwhile.

        Args:
            votes: number of answered votes after which the server is killed.
            statement: number of the database's statement before which it kills itself, or 0.
        """
        asked = self.room("ask", **QUESTION)["question"]
        for phone in self.phones:
            phone.confirmed, phone.answer = False, self.random.randrange(ANSWERS)
        changed = self.random.sample(self.runs[3:-1], 6)
        with (
            ExitStack() as stack,
            ThreadPoolExecutor(8) as pool,
            suppress(URLError, ConnectionError, HTTPException),
        ):
            for run in self.runs:
                stack.enter_context(self.watch(run))
            if statement:
                self.call("die", statement=statement)
            for run in changed[:3]:
                self.call("set_knobs", run_id=run, learning_rate=self.random.uniform(0.01, 0.3))
            done = pool.map(lambda phone: self.vote(phone, asked), self.phones)
            for number, _ in enumerate(done):
                if number == votes // 2:
                    for run in changed[3:]:
                        self.call("set_knobs", run_id=run, learning_rate=0.2)
                if number == votes:
                    self.kill()
        self.kill()
        self.asked = asked

    def kill(self) -> None:
        if self.app._process.poll() is None:
            self.app._process.send_signal(signal.SIGKILL)
        self.app._process.wait(PATIENCE)

    def vote(self, phone: Phone, asked: dict[str, Any]) -> None:
        body = {"question": asked["id"], "round": asked["round"], "answer": phone.answer}
        try:
            self.ask(f"/b/{self.code}/vote", body, phone.cookie)
        except HTTPError:
            raise
        except (URLError, ConnectionError, HTTPException):
            return  # the server was killed
        phone.confirmed = True

    # What holds after the restart.

    def check(self) -> None:
        """Check all that a restarted server shows, against what was saved."""
        assert self.saved.keys() == {*self.runs}
        assert self.checkpoints.keys() <= {*self.runs}
        assert self.talks == [self.talk]
        assert sum(given["step"] >= LONG for given in self.saved.values()) >= 5
        with ExitStack() as stack:
            watched = {run: stack.enter_context(self.watch(run)) for run in self.runs}
            self.check_votes()
            for run, viewer in watched.items():
                self.check_run(run, viewer)
        assert self.call("talk_text", name=self.talk) == TALK_TEXT
        assert self.call("pinned_runs") == [self.runs[1]]

    def check_votes(self) -> None:
        """Each confirmed vote counts, and after all phones have sent theirs again, counts once."""
        held = [phone for phone in self.phones if phone.confirmed]
        room = self.room()["question"]
        assert room["id"] == self.asked["id"]
        assert len(held) <= room["answered"] <= PHONES
        for phone in held:
            _, content = self.ask(f"/b/{self.code}/state", cookie=phone.cookie)
            assert json.loads(content)["mine"] == phone.answer
        for phone in self.phones:
            self.vote(phone, self.asked)
            assert phone.confirmed
        assert self.room()["question"]["answered"] == PHONES
        tally = Counter(phone.answer for phone in self.phones)
        self.room("close")
        assert self.room("reveal")["question"]["tally"] == [tally[n] for n in range(ANSWERS)]

    def check_run(self, run: str, viewer: ClientConnection) -> None:
        given = self.saved[run]
        config = RunConfig(**given["initial_config"])
        log = [read_change(change) for change in given["log"]]
        hello = next(message for message in messages(viewer) if message["type"] == "hello")
        assert hello["can_control"], "the run has the same owner"
        assert [read_change(change) for change in hello["changes"]] == log
        first = frame_at(viewer, 0)
        assert first["step"] >= max(self.checkpoints.get(run, 0), given["step"])
        frames = [first]
        if first["status"] == "running":
            frames.append(frame_at(viewer, first["step"] + 2))
        # Changes that no worker had confirmed are made after the restart.
        waiting = [read_change({"step": 0, "values": values}).values
                   for values, _ in given["pending"]]  # fmt: skip
        for frame in frames:
            made = [read_change(change) for change in frame["changes"]]
            more = [change for change in made if change not in log and change.values in waiting]
            assert len(more) <= len(waiting)
            expected = self.undisturbed.state(config, [*log, *more], frame["step"])
            assert compared(frame) == expected, (run, frame["step"], log)

    def read_saved(self) -> None:
        """Read what the killed server has saved."""
        file = StateFile(self.state)
        with closing(file):
            assert file.set_aside is None
            entries = file.read()
        self.saved = {
            key: orjson.loads(text) for (kind, key), text in entries.items() if kind == RUN
        }
        self.checkpoints = {
            key: int(text.partition(b"\n")[0])
            for (kind, key), text in entries.items() if kind == CHECKPOINT
        }  # fmt: skip
        self.talks = [key for kind, key in entries if kind == TALK]


class Undisturbed:
    """Experiments that run undisturbed. Each continues from the best earlier state."""

    def __init__(self) -> None:
        # Config, changes made, step, checkpoint.
        self._known: list[tuple[RunConfig, list[Change], int, bytes]] = []

    def state(self, config: RunConfig, log: list[Change], step: int) -> dict[str, Any]:
        if step >= LONG:
            self._experiment(config, [change for change in log if change.step < LONG], LONG)
        experiment = self._experiment(config, log, step)
        return compared(json.loads(encode_body(experiment.snapshot(()))))

    def _experiment(self, config: RunConfig, log: list[Change], step: int) -> Experiment:
        fitting = [
            (at, checkpoint) for known, made, at, checkpoint in self._known
            if known == config and at <= step and log[: len(made)] == made
            and all(change.step >= at for change in log[len(made) :])
        ]  # fmt: skip
        at, checkpoint = max(fitting, default=(0, b""))
        experiment = Experiment(config)
        if checkpoint:
            experiment = Experiment.restore(config, checkpoint)
        catch_up_to(experiment, log, step, math.inf)
        if at < step:
            self._known.append((config, log, step, experiment.checkpoint()))
        return experiment


def messages(viewer: ClientConnection) -> Iterator[dict[str, Any]]:
    """Yield messages of a run's socket, and acknowledge frames."""
    with suppress(ConnectionClosed):
        while True:
            message = json.loads(viewer.recv(PATIENCE))
            if message["type"] == "frame":
                viewer.send(json.dumps({"type": "ack", "seq": message["seq"]}))
            yield message


def frame_at(viewer: ClientConnection, step: int) -> dict[str, Any]:
    return next(m for m in messages(viewer) if m["type"] == "frame" and m["step"] >= step)


def stopped(viewer: ClientConnection, reason: str) -> None:
    next(message for message in messages(viewer) if message.get("reason") == reason)


def test_a_killed_server_loses_nothing_that_was_confirmed(tmp_path: Path) -> None:
    lecture = Lecture(tmp_path, seed=1)
    with lecture.server():
        lecture.begin()
        lecture.disturb(votes=lecture.random.randrange(20, 80))
    lecture.read_saved()
    with lecture.server():
        lecture.check()


@pytest.mark.verify
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("seed", range(5))
def test_ten_kills_of_one_lecture_lose_nothing_that_was_confirmed(
    tmp_path: Path, seed: int
) -> None:
    """Every second kill is in the middle of a transaction."""
    lecture = Lecture(tmp_path, seed)
    with lecture.server():
        lecture.begin()
    for kill in range(10):
        within = lecture.random.randrange(1, 30) if kill % 2 else 0
        with lecture.server():
            if kill:
                lecture.check()
            votes = PHONES if within else lecture.random.randrange(PHONES)
            lecture.disturb(votes, statement=within)
        lecture.read_saved()
    with lecture.server():
        lecture.check()


@pytest.mark.verify
@pytest.mark.parametrize("saves", [True, False])
def test_on_sigterm_viewers_are_told_within_1_s_and_the_server_ends_within_10_s(
    tmp_path: Path, saves: bool
) -> None:
    lecture = Lecture(tmp_path, seed=1)
    with lecture.server(saves=saves):
        lecture.runs = [lecture.call("start", config=SMALL, pace="full")]
        with lecture.watch(lecture.runs[0]) as viewer:
            seen = frame_at(viewer, 2_000)["step"]
            began = time.monotonic()
            lecture.app._process.terminate()
            all(messages(viewer))
            told = time.monotonic() - began
        lecture.app._process.wait(PATIENCE)
        ended = time.monotonic() - began
    assert told < 1
    assert ended < 10
    # The server library sends this code, whether the runs are saved or not.
    assert viewer.close_code == 1012
    lecture.read_saved()
    if saves:
        assert lecture.saved[lecture.runs[0]]["step"] >= seen
        assert lecture.checkpoints[lecture.runs[0]] > 0
