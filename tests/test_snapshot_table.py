"""`bnviz.table` has one row per step and network, with the measured numbers."""

import csv

import pandas as pd
import pytest

import bnviz
from bnviz.config import ConfigError, RunConfig
from bnviz.experiment import run
from bnviz.live.protocol.frames import encode_body
from bnviz.live.runs.export import csv_lines
from bnviz.live.runs.parsed_frames import HistoryFrame

CONFIG = RunConfig(depth=2, width=8)
PROBES = ("jacobian", "fit", "saturation")


@pytest.fixture(scope="module")
def taken():
    return list(run(CONFIG, steps=4, every=2, probes=PROBES))


def test_a_row_has_the_numbers_of_one_network_at_one_step(taken):
    table = bnviz.table(taken)
    assert list(zip(table["step"], table["norm"], strict=True)) == [
        (step, norm) for step in (0, 2, 4) for norm in CONFIG.norms
    ]
    for name in ("loss", "test_loss", "test_accuracy", "state", "examples"):
        values = [getattr(record, name) for one in taken for record in one.networks.values()]
        assert table[name].tolist() == values
    gaps = [float(record.probes["fit"]["gap"]) for one in taken for record in one.networks.values()]
    assert table["fit.gap"].tolist() == gaps
    assert table["break_step"].isna().all()
    pivoted = table.pivot(index="step", columns="norm", values="loss")
    assert list(pivoted.columns) == sorted(CONFIG.norms)


def test_the_values_of_arrays_are_columns_with_the_names_of_the_export(taken):
    table = bnviz.table(taken, values="saturation.saturated")
    kept = [HistoryFrame(place, one.step, encode_body(one)) for place, one in enumerate(taken)]
    exported = pd.DataFrame(csv.DictReader(csv_lines(kept)))
    for norm in CONFIG.norms:
        rows = table[table["norm"] == norm]
        for name in ("loss", "epochs", "saturation.saturated:0", "saturation.saturated:1"):
            assert rows[name].tolist() == exported[f"{norm}.{name}"].astype(float).tolist()


def test_a_break_has_its_step_its_layer_and_its_reason():
    config = CONFIG.replace(norms=("none",), learning_rate=40.0)
    taken = list(run(config, steps=6, probes=()))
    broke = taken[-1].networks["none"].broke
    assert broke is not None
    table = bnviz.table(taken)
    assert table["break_step"].dropna().unique().tolist() == [broke.step]
    last = table.iloc[-1]
    assert (last["break_layer"], last["break_reason"]) == (broke.layer, broke.key)


def test_a_value_that_was_not_measured_is_an_error(taken):
    assert len(bnviz.table(taken[0])) == len(CONFIG.norms)
    with pytest.raises(ConfigError, match=r"`values` must be one of .*jacobian\.percentiles"):
        bnviz.table(taken, values="weights.norm")
    for values in (None, [["loss"]]):
        with pytest.raises(ConfigError, match="`values` must be one of"):
            bnviz.table(taken, values=values)


def test_snapshots_that_are_repeated_or_out_of_order_give_the_same_table(taken):
    pd.testing.assert_frame_equal(bnviz.table([*taken[::-1], *taken]), bnviz.table(taken))


def test_anything_but_snapshots_of_one_run_is_an_error(taken):
    other = list(run(CONFIG.replace(seed=1), steps=1, probes=()))
    for given in ([], None, [*taken, *other], [*taken, 1]):
        with pytest.raises(ConfigError, match="`snapshots` must be"):
            bnviz.table(given)
