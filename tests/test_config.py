"""Knobs: ranges, messages, links."""

import contextlib
import pickle
import subprocess
import sys
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st
from pydantic import ValidationError

from bnviz.config import KNOBS, LIVE_KNOBS, ConfigError, RunConfig
from bnviz.data import DATASETS
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS, norms_for
from tests.every_case import every_case


def test_defaults_are_the_opening_run() -> None:
    config = RunConfig()
    assert config.dataset == "digits"
    assert config.norms == ("none", "batch")
    assert (config.depth, config.width, config.activation) == (6, 100, "tanh")
    assert (config.learning_rate, config.batch_size, config.optimizer) == (0.1, 60, "sgd")
    assert config.to_query() == {}
    assert RunConfig.from_query({}) == config


def test_live_knobs() -> None:
    assert set(LIVE_KNOBS) == {
        "learning_rate", "learning_rates", "rate_factors", "batch_size", "momentum", "weight_decay",
        "norm_statistics",
    }  # fmt: skip


@every_case("knob", KNOBS.values())
def test_every_knob_has_words_and_a_default_within_its_range(knob: Any) -> None:
    assert knob.label
    assert knob.help.rstrip().endswith(".")
    assert knob.allowed
    if knob.kind in ("int", "float"):
        assert knob.minimum is not None
        assert knob.maximum is not None
        if knob.default is not None:
            assert knob.minimum <= knob.default <= knob.maximum


@every_case(
    ("values", "message"),
    [
        ({"width": -3}, "`width` must be a whole number between 2 and 512, got -3."),
        ({"depth": 51}, "`depth` must be a whole number between 1 and 50, got 51."),
        ({"depth": 2.5}, "`depth` must be a whole number between 1 and 50, got 2.5."),
        ({"depth": True}, "`depth` must be a whole number between 1 and 50, got True."),
        (
            {"learning_rates": (True, 0.1)},
            "`learning_rates` must be numbers between 1e-05 and 100, got true,0.1.",
        ),
        ({"learning_rate": float("nan")}, "`learning_rate` must be a number between 1e-05 and"),
        ({"learning_rate": float("inf")}, "`learning_rate` must be a number between 1e-05 and"),
        ({"learning_rate": 0}, "`learning_rate` must be a number between 1e-05 and 100, got 0."),
        ({"momentum": 1}, "`momentum` must be a number between 0 and 0.999, got 1."),
        ({"norm_momentum": 0}, "`norm_momentum` must be a number above 0 and at most 1, got 0."),
        ({"activation": "swish"}, "`activation` must be one of sigmoid, tanh, relu, gelu, linear"),
        ({"dataset": "iris"}, "`dataset` must be one of digits, mnist,"),
        ({"norms": ("none", "none")}, "`norms` must be 1 to 4 different names of none, batch,"),
        ({"norms": ()}, "`norms` must be 1 to 4 different names"),
        ({"norms": ("zero",)}, "`norms` must be 1 to 4 different names of none, batch"),
        ({"learning_rates": (0.1,)}, "`learning_rates` must be one rate for each of the 2"),
        ({"learning_rates": (0.1, -1)}, "`learning_rates` must be numbers between 1e-05 and 100"),
        ({"init_std": 0.1}, "`init_std` must be left out unless init is normal, got 0.1."),
        ({"init": "normal", "init_std": 0}, "`init_std` must be a number above 0 and at most 10"),
        ({"skip": 11}, "`skip` must be a whole number between 0 and 10, got 11."),
        ({"branch_start": 1.5}, "`branch_start` must be a number between 0 and 1, got 1.5."),
        ({"norm_position": "after", "skip": 2}, "`skip` must be 0 with normalization after"),
        ({"seed": -1}, "`seed` must be a whole number between 0 and 2147483647, got -1."),
        ({"nonsense": 1}, "`nonsense` must be one of the knobs dataset,"),
        ({"batch_size": "x" * 500}, "...."),
    ],
)
def test_errors_name_the_knob_what_is_allowed_and_the_value(
    values: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig(**values)
    assert message in str(caught.value)
    assert caught.value.field == next(iter(reversed(values)))
    assert len(str(caught.value)) < 1000


@every_case("values", [{"depth": 99}, {"depth": 50, "width": 512}, {"norms": ()}])
def test_errors_come_back_from_another_process(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig(**values)
    came = pickle.loads(pickle.dumps(caught.value))
    assert str(came) == str(caught.value)
    assert vars(came) == vars(caught.value)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"depth": 50, "width": 512, "batch_size": 1024}, "depth × width² × batch_size × networks"),
        ({"depth": 50, "width": 512, "batch_size": 1}, "depth × width² × networks"),
    ],
)
def test_products_of_knobs_are_bounded(values: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig(**values)
    assert caught.value.field == field
    assert "at most" in str(caught.value)


@every_case("name", ["depth", "width", "batch_size"])
def test_each_size_alone_may_be_at_its_limit(name: str) -> None:
    for value in (KNOBS[name].minimum, KNOBS[name].maximum):
        assert value is not None
        assert getattr(RunConfig(**{name: int(value)}), name) == value


def test_knobs_of_names_offer_all_of_them_and_knobs_of_numbers_none() -> None:
    assert tuple(KNOBS["norms"].choices) == tuple(NORMS)
    assert tuple(KNOBS["dataset"].choices) == tuple(DATASETS)
    assert tuple(KNOBS["network"].choices) == tuple(NETWORKS)
    numbers = {name for name, knob in KNOBS.items() if knob.kind.rstrip("s") in ("int", "float")}
    assert {"depth", "learning_rate", "learning_rates", "ablation_layers"} <= numbers
    assert not [name for name in numbers if [*KNOBS[name].choices]]


def test_replace_validates_as_a_whole() -> None:
    config = RunConfig(learning_rates=(0.1, 0.2))
    assert config.rates() == {"none": 0.1, "batch": 0.2}
    assert config.replace(learning_rates=None).rates() == {"none": 0.1, "batch": 0.1}
    with pytest.raises(ConfigError, match="`learning_rates` must be one rate for each of the 1"):
        config.replace(norms=("batch",))


def test_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        RunConfig().depth = 3


@every_case(
    ("query", "values"),
    [
        ({"depth": "20", "activation": "relu"}, {"depth": 20, "activation": "relu"}),
        ({"norms": "none,batch,layer"}, {"norms": ("none", "batch", "layer")}),
        ({"learning_rates": "0.1,1e-3"}, {"learning_rates": (0.1, 0.001)}),
        ({"norm_affine": "false"}, {"norm_affine": False}),
        ({"noise": "0.25", "dataset": "moons"}, {"noise": 0.25, "dataset": "moons"}),
        ({"noise": "none"}, {}),
        ({"depth": ["4"]}, {"depth": 4}),
    ],
)
def test_queries_are_read(query: dict[str, Any], values: dict[str, Any]) -> None:
    assert RunConfig.from_query(query) == RunConfig(**values)


@every_case(
    ("query", "message"),
    [
        ({"depth": "six"}, "`depth` must be a whole number between 1 and 50, got 'six'."),
        ({"depth": "６"}, "`depth` must be"),
        ({"depth": ["3", "4"]}, "`depth` must be given once"),
        ({"norm_affine": "yes"}, "`norm_affine` must be true or false, got 'yes'."),
        ({"learning_rate": "nan"}, "`learning_rate` must be"),
        ({"learning_rates": "0.1,"}, "`learning_rates` must be"),
        ({"_stcore": "x"}, "`_stcore` must be one of the knobs"),
        ({"norms": "none;batch"}, "`norms` must be 1 to 4 different names of none, batch"),
        ({"learning_rate": "0,1"}, "and 100, with a point in place of the comma: 0.1, got '0,1'."),
        ({"learning_rate": "1,000"}, "between 1e-05 and 100, got '1,000'."),
        ({"learning_rates": "0,1;2"}, "in place of the comma: 0.1,2, got '0,1;2'."),
    ],
)
def test_bad_queries_are_refused(query: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_query(query)
    assert message in str(caught.value)


def test_adams_beta_1_is_0_9_unless_set() -> None:
    adam = RunConfig(optimizer="adam")
    assert adam.momentum == 0.9
    assert adam.to_query() == {"optimizer": "adam"}
    assert RunConfig.from_query({"optimizer": "adam"}) == adam
    assert RunConfig().momentum == RunConfig(optimizer="sgd").momentum == 0
    none = RunConfig(optimizer="adam", momentum=0)
    assert none.momentum == 0
    assert RunConfig.from_query(none.to_query()) == none
    assert RunConfig(**none.model_dump()) == none


def test_a_momentum_that_nobody_set_goes_with_the_optimizer() -> None:
    assert RunConfig().replace(optimizer="adam") == RunConfig(optimizer="adam")
    assert RunConfig(optimizer="adam").replace(optimizer="sgd") == RunConfig()
    assert RunConfig(optimizer="adam").replace(learning_rate=0.01).momentum == 0.9
    assert RunConfig().replace(optimizer="adam", momentum=0.5).momentum == 0.5
    for optimizer, other in (("sgd", "adam"), ("adam", "sgd")):
        kept = RunConfig(optimizer=optimizer, momentum=0.8).replace(optimizer=other)
        assert kept.momentum == 0.8


def test_a_value_that_was_chosen_is_the_same_after_another_optimizer_or_network() -> None:
    chosen = RunConfig(momentum=0.9)
    assert chosen.replace(optimizer="adam").replace(optimizer="sgd") == chosen
    assert chosen.replace(optimizer="adam") == RunConfig(optimizer="adam")
    again = RunConfig(**chosen.replace(seed=3).model_dump()).replace(optimizer="adam")
    assert again.replace(optimizer="sgd", seed=0) == chosen
    assert RunConfig().replace(network="conv") == RunConfig(network="conv")
    assert RunConfig().replace(network="conv").replace(network="mlp") == RunConfig()
    assert RunConfig(depth=3, width=8).replace(network="conv").depth == 3


@st.composite
def configs(draw: st.DrawFn) -> RunConfig:
    norms = tuple(
        draw(st.lists(st.sampled_from(norms_for("mlp")), min_size=1, max_size=4, unique=True))
    )
    rate = st.floats(1e-5, 100)
    rates = st.tuples(*[rate] * len(norms))
    init = draw(st.sampled_from(["glorot", "he", "orthogonal", "normal"]))
    stds = st.none() | st.floats(0, 10, exclude_min=True)
    return RunConfig(
        dataset=draw(st.sampled_from(list(DATASETS))),
        noise=draw(st.none() | st.floats(0, 1)),
        norms=norms,
        depth=draw(st.integers(1, 8)),
        width=4 * draw(st.integers(2, 16)),
        init=init,
        init_std=draw(stds) if init == "normal" else None,
        learning_rate=draw(rate),
        learning_rates=draw(st.none() | rates),
        batch_size=draw(st.integers(1, 1024)),
        optimizer=draw(st.sampled_from(["sgd", "adam"])),
        momentum=draw(st.sampled_from([0.0, 0.9]) | st.floats(0, 0.999)),
        norm_affine=draw(st.booleans()),
        seed=draw(st.integers(0, 2**31 - 1)),
    )


@hypothesis.given(configs())
def test_links_and_json_come_back_as_the_same_config(config: RunConfig) -> None:
    assert RunConfig.from_query(config.to_query()) == config
    assert RunConfig(**config.model_dump()) == config
    assert RunConfig.model_validate_json(config.model_dump_json()) == config


@hypothesis.given(
    st.dictionaries(st.sampled_from(list(KNOBS)) | st.text(max_size=8), st.text(max_size=12))
)
def test_any_link_gives_a_config_or_a_config_error(query: dict[str, str]) -> None:
    with contextlib.suppress(ConfigError):
        assert isinstance(RunConfig.from_query(query), RunConfig)


def test_configuration_leaves_torch_out() -> None:
    code = (
        "import sys, bnviz.config, bnviz.records, bnviz.probes; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_stability_limit_follows_rate_and_momentum_and_adam_has_none():
    plain = RunConfig(learning_rate=0.5, learning_rates=(0.5, 0.1), momentum=0.9)
    assert plain.stability_limits() == pytest.approx({"none": 7.6, "batch": 38.0})
    assert RunConfig(optimizer="adam").stability_limits() == {"none": None, "batch": None}


def test_the_stability_limit_knows_one_factor_of_all_rates_and_none_where_they_differ():
    ten = RunConfig(learning_rate=0.5, rate_factors=(10, 10, 10))
    assert ten.stability_limits() == pytest.approx({"none": 0.4, "batch": 0.4})
    for factors in ((10, 1, 1), (1, 1, 0), (0, 0, 0)):
        assert RunConfig(rate_factors=factors).stability_edge is None
