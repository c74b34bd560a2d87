"""Try-it experiments in which BN loses: their list and their recorded results."""

from dataclasses import replace
from statistics import median

import pytest

from bnviz.lessons import defeats
from bnviz.lessons.defeats import RecordedDefeat, breaks_lost, key_of, made_of, read
from bnviz.lessons.defeats.measure import SEEDS, main, measure
from bnviz.lessons.lesson import BatchLoses
from bnviz.words.texts import texts
from tests.lessons.observing import lesson

LOST = [pytest.param(*each, id=key_of(*each[:2])) for each in breaks_lost()]
# Tolerance of accuracies on another processor, whose rounding acts like another seed.
ROUND = 0.1
# Minimum lag of BN in accuracy, in every experiment in which BN loses.
BEHIND = 0.02
# Minimum lag of BN in steps, in experiments whose result is a number of steps.
LATER = 20


def test_every_break_in_which_bn_loses_is_measured_and_no_other_is_told_of():
    assert read().keys() == {key_of(found, name) for found, name, _ in breaks_lost()}
    assert "break-it/relu" in read()


@pytest.mark.parametrize(("found", "name", "by"), LOST)
def test_what_is_told_of_a_break_was_measured_in_its_present_setting(found, name, by):
    """If this fails, run `python -m bnviz.lessons.defeats.measure` again."""
    told = read()[key_of(found, name)]
    assert told.made_of == made_of(found, name, by)
    assert told.seeds == tuple(SEEDS)
    assert len(told.batch) == len(told.other) == len(told.seeds)
    assert by.to in found.config_of_try(name).norms
    assert told.gap >= (LATER if by.by == "steps" else BEHIND)
    assert told.by == by.by
    said = texts(f"lessons/{found.name}")["break"][name]["loses"]
    assert said.keys() == {"setting", "why", "instead"}
    assert all(text.strip() for text in said.values())
    changes, target_accuracy = (
        found.plan_of_try(name).changes,
        found.try_named(name).target_accuracy,
    )
    assert {"end": True, "lowest": changes, "steps": target_accuracy}[by.by]


@pytest.mark.verify
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("found", "name", "by"), LOST)
def test_measured_anew_bn_loses_by_about_as_much(found, name, by):
    told, again = read()[key_of(found, name)], measure(found, name, by)
    if by.by == "steps":
        assert again.gap >= LATER
        return
    assert again.gap >= BEHIND
    for there, here in ((told.batch, again.batch), (told.other, again.other)):
        assert min(there) - ROUND <= median(here) <= max(there) + ROUND


def test_one_run_gives_what_is_told_of_its_seed():
    found = lesson("break-it")
    told = read()["break-it/relu"]
    once = measure(found, "relu", BatchLoses(), seeds=(3,))
    assert once.batch[0] == pytest.approx(told.batch[3], abs=ROUND)
    assert once.other[0] == pytest.approx(told.other[3], abs=ROUND)


def test_the_lowest_value_counts_from_the_last_change_on():
    """The rate rises at step 100 and stays high. Before this change, accuracy is lowest at
    step 0.
    """
    found, by = lesson("break-it"), BatchLoses(by="lowest")
    lowest, end = (measure(found, "not-put-back", each, seeds=(0,)) for each in (by, BatchLoses()))
    assert lowest.batch[0] < 0.6 < end.batch[0], "it came back"
    assert lowest.other[0] <= end.other[0]
    assert lowest.made_of != end.made_of


def test_another_setting_is_another_measurement():
    found, by = lesson("break-it"), BatchLoses()
    (relu,) = [each for each in found.breaks if each.name == "relu"]
    moved = replace(relu, knobs={**relu.knobs, "learning_rate": 0.004})
    assert made_of(replace(found, breaks=(moved,)), "relu", by) != made_of(found, "relu", by)
    assert made_of(found, "relu", by) != made_of(found, "relu", BatchLoses(to="batch"))


def test_only_what_is_not_known_is_measured(monkeypatch, tmp_path):
    file, some, asked = tmp_path / "measured.json", read()["break-it/relu"], []
    known, new = ((lesson("break-it"), name, BatchLoses()) for name in ("relu", "not-put-back"))
    defeats.write({"break-it/relu": some, "gone/break": some}, file)

    def measured(found, name, by):
        asked.append(name)
        return replace(some, made_of=made_of(found, name, by))

    module = "bnviz.lessons.defeats.measure"
    monkeypatch.setattr(f"{module}.breaks_lost", lambda: [known, new])
    monkeypatch.setattr(f"{module}.FILE", file)
    monkeypatch.setattr(f"{module}.read", lambda: read(file))
    monkeypatch.setattr(f"{module}.write", lambda found: defeats.write(found, file))
    monkeypatch.setattr(f"{module}.measure", measured)
    main(everything=False)
    assert asked == ["not-put-back"]
    assert read(file).keys() == {"break-it/relu", "break-it/not-put-back"}
    assert read(file)["break-it/relu"] == some
    main(everything=True)
    assert asked == ["not-put-back", "relu", "not-put-back"]


def test_how_far_bn_is_behind_is_counted_run_by_run():
    loss = RecordedDefeat(
        seeds=(0, 1, 2), batch=(0.5, 0.9, 0.7), other=(0.6, 0.8, 0.9), made_of="", by="end"
    )
    assert loss.gaps == pytest.approx((0.1, -0.1, 0.2))
    assert loss.gap == pytest.approx(0.1)
    assert (loss.median_of("batch"), loss.median_of("other")) == (0.7, 0.8)
