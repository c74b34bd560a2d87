"""Every config survives a round trip through a link, and hostile values raise `ConfigError`."""

from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from bnviz.config import KNOBS, LIVE_KNOBS, ConfigError, RunConfig
from bnviz.data import DATASETS
from bnviz.device import CPU_LIMITS
from bnviz.norms import NORMS
from tests.every_case import every_case

quick = settings(
    max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def values_of(name):
    """Return a strategy for the allowed values of one knob."""
    knob = KNOBS[name]
    if knob.kind == "choice":
        values = st.sampled_from(knob.choices)
    elif knob.kind == "bool":
        values = st.booleans()
    elif knob.kind == "int":
        values = st.integers(int(knob.minimum), int(knob.maximum))
    elif knob.kind == "ints":
        values = st.lists(st.integers(1, 8), max_size=4).map(tuple)
    else:
        values = st.floats(knob.minimum, knob.maximum, allow_nan=False)
    if name == "rate_factors":
        values = st.tuples(values, values, values)
    return st.none() | values if knob.optional else values


@st.composite
def configs(draw):
    """Draw any valid `RunConfig`."""
    free = sorted(set(KNOBS) - {"norms", "learning_rates"})
    chosen = draw(st.lists(st.sampled_from(free), unique=True))
    given_values = {name: draw(values_of(name)) for name in chosen}
    norms = draw(st.lists(st.sampled_from(sorted(NORMS)), min_size=1, max_size=4, unique=True))
    rates = st.floats(1e-5, 100)
    count = len(norms)
    given_values["norms"] = tuple(norms)
    given_values["learning_rates"] = draw(
        st.none() | st.lists(rates, min_size=count, max_size=count).map(tuple)
    )
    try:
        return RunConfig(**given_values)
    except ConfigError as error:
        problem = error
    # Knobs that are each in range may be too large together or contradict each other, and some have
    # an open lower bound.
    open_ended = {"init_std", "norm_momentum", "recurrent_gamma"}
    together = {
        "ablation_layers", "depth", "network", "norm_groups", "norm_position", "norms", "skip",
        "width",
    }  # fmt: skip
    assert " × " in problem.field or problem.field in open_ended | together
    return assume(False)


numbers = (
    st.sampled_from(["nan", "inf", "-inf", "Infinity", "1e999", "-1", "0", "1e-300", "٣", "1_0"])
    | st.integers().map(str)
    | st.floats().map(repr)
)
texts = st.text(max_size=300) | numbers | st.sampled_from(["", "none", "None", "null", "true", ","])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def check(error):
    message = str(error)
    assert message.startswith(f"`{error.field[:77]}")
    assert f"` must be {error.allowed}, got " in message
    assert error.allowed
    assert len(message) < 1000, "a visitor reads it"


@quick
@given(configs())
def test_every_config_survives_its_link(config):
    query = config.to_query()
    assert all(isinstance(value, str) for value in query.values())
    assert RunConfig.from_query(query) == config
    browser = parse_qs(urlencode(query), keep_blank_values=True)
    assert RunConfig.from_query(browser) == config


@quick
@given(configs())
def test_a_link_says_only_what_differs_from_the_default(config):
    unset = RunConfig(network=config.network, optimizer=config.optimizer)
    for name in KNOBS:
        default = RunConfig() if name in ("network", "optimizer") else unset
        differs = getattr(config, name) != getattr(default, name)
        assert (name in config.to_query()) == differs


@quick
@given(configs())
def test_configs_survive_json(config):
    assert RunConfig(**config.model_dump(mode="json")) == config


@quick
@given(configs())
def test_estimates_are_positive_and_bounded(config):
    assert config.flops_per_step() > 0
    assert 0 < config.bytes_per_run() <= CPU_LIMITS.bytes_per_run
    assert list(config.rates()) == list(config.norms)


@quick
@given(st.dictionaries(st.sampled_from(sorted(KNOBS)) | st.text(max_size=20), texts, max_size=5))
def test_hostile_links_are_answered_by_a_config_error(query):
    try:
        config = RunConfig.from_query(query)
    except ConfigError as error:
        check(error)
    else:
        assert RunConfig.from_query(config.to_query()) == config


@every_case(
    "query",
    [
        {"x" * 5000: "1"},
        {"depth": "9" * 5000},
        {"depth": "1_0"},
        {"depth": "٣"},
        {"seed": "1e400"},
        {"learning_rate": "nan"},
        {"norms": ",".join(["none"] * 5000)},
        {"learning_rates": ",".join(["1"] * 5000)},
        {"norm_affine": "yes"},
    ],
)
def test_known_bad_links_are_refused_briefly(query):
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_query(query)
    check(caught.value)


@quick
@given(st.sampled_from(sorted(KNOBS)), st.lists(texts, max_size=3))
def test_a_knob_given_not_once_is_refused(name, values):
    assume(len(values) != 1)
    with pytest.raises(ConfigError, match="given once"):
        RunConfig.from_query({name: values})


@quick
@example({"self": None})
@given(st.dictionaries(st.sampled_from(sorted(KNOBS)) | st.text(max_size=9), anything, max_size=4))
def test_hostile_values_are_answered_by_a_config_error(values):
    try:
        config = RunConfig(**values)
    except ConfigError as error:
        check(error)
    else:
        assert config.dataset in DATASETS
        for name, knob in KNOBS.items():
            value = getattr(config, name)
            if knob.kind in ("int", "float") and value is not None:
                assert knob.minimum <= value <= knob.maximum
                assert not isinstance(value, bool)


@quick
@given(configs(), st.sampled_from(LIVE_KNOBS), anything)
def test_hostile_changes_leave_the_config_as_it_was(config, name, value):
    before = config.model_dump()
    try:
        config.replace(**{name: value})
    except ConfigError as error:
        check(error)
    assert config.model_dump() == before
