"""Real runs, recorded as frames that a worker would send."""

import dataclasses

import numpy as np

from bnviz.live.protocol.frames import encode_body
from bnviz.probes import PROBES
from bnviz.records import Break
from bnviz.words.story import tell_story
from tests.charts.conftest import PAIR, measured

# A single chart, because most of the time for a view is spent on its charts.
ONE = ("loss",)
MAIN = ("loss", "accuracy", "layers")
MORE = ("percentiles", "percentiles_layer", "drift", "saturation", "gradients", "io_jacobian")
# All probes except the slowest, which takes most of the time of a snapshot.
CHEAPER = tuple(name for name in PROBES if name != "estimate")
# Charts whose probes are measured only while these charts are open.
WANTED = ("weights", "ics")


def record(config, steps, rates=None):
    """Record a run with `measured`. Only every tenth snapshot includes the slowest probe."""
    return [*measured(config, steps, rates or {}, lambda at: CHEAPER if at % 10 else "all")]


def encoded(snapshot, changes=(), config=PAIR, story=None):
    """Return a snapshot encoded as a worker's frame, with the sentences of its story."""
    told = story or tell_story(snapshot, config, changes)
    return encode_body(snapshot, changes=changes, story=told)


def bodies(taken, config=PAIR):
    return [(snapshot.step, encoded(snapshot, changes, config)) for snapshot, changes in taken]


def without(snapshot, probes):
    """Return a copy of a snapshot in which some probes were not measured."""
    networks = {
        norm: dataclasses.replace(
            record,
            probes={name: values for name, values in record.probes.items() if name not in probes},
            measured_at={n: step for n, step in record.measured_at.items() if n not in probes},
        )
        for norm, record in snapshot.networks.items()
    }
    return dataclasses.replace(snapshot, networks=networks)


def with_edges(snapshot, step=None, **edges):
    """Return a copy of a snapshot with a stability edge for some networks."""
    networks = {
        norm: dataclasses.replace(
            record,
            probes={**record.probes, "sharpness": {"edge": np.float32(edges[norm])}},
            measured_at={**record.measured_at, "sharpness": step or snapshot.step},
        ) if norm in edges else record
        for norm, record in snapshot.networks.items()
    }  # fmt: skip
    return dataclasses.replace(without(snapshot, ["sharpness"]), networks=networks)


def broken(snapshot, value):
    """Return a copy of a snapshot in which every value of the network without BN equals `value`."""
    network = snapshot.networks["none"]
    probes = {
        probe: {name: np.full_like(array, value if array.dtype.kind == "f" else 0)
                for name, array in values.items()}
        for probe, values in network.probes.items()
    }  # fmt: skip
    gone = dataclasses.replace(
        network, loss=value, test_loss=value, probes=probes, state="diverged",
        broke=Break(snapshot.step, "layer 2", "non-finite"),
    )  # fmt: skip
    return dataclasses.replace(snapshot, networks={**snapshot.networks, "none": gone})
