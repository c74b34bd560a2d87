"""Rules that hold for every entry of `CHARTS`."""

import re
from collections.abc import Callable

import orjson
import pytest
from plotly.graph_objects import Figure

from bnviz.charts import CHARTS, Chart
from bnviz.charts import binding as kinds
from bnviz.charts.panels import text_width
from bnviz.charts.theme import DARK, LIGHT, PRESENTATION_TYPE, Theme, type_sizes
from bnviz.config import RunConfig
from bnviz.live.runs.time_series import read_fields
from bnviz.probes import PROBES
from bnviz.words.texts import of_each
from tests.charts.conftest import PAIR, PLANE, Frame, make_chart, record
from tests.charts.real_module import apply
from tests.every_case import every_case

NORMS = ("none", "batch", "layer", "rms")
# Charts that depend neither on the mode nor on the selected examples.
MODELESS = {"biases", "weights", "weight_length", "cost", "boundary"}
# Charts that look the same on a phone and on a desktop.
ONE_FORM = {"io_jacobian", "spectrum"}
CONFIGS = {
    "one": RunConfig(depth=1, width=8, norms=("batch",)),
    "two": PAIR,
    "three": RunConfig(depth=3, width=8, norms=("layer", "none", "rms"), activation="relu"),
    "four": RunConfig(depth=12, width=8, norms=NORMS, activation="sigmoid"),
    "squared": RunConfig(
        depth=2, width=8, activation="linear", norm_position="after", loss="squared",
        norms=("none", "dropout", "ablated"),
    ),
    "conv": RunConfig(network="conv", norms=("none", "batch", "instance", "group"), width=8),
    "recurrent": RunConfig(network="recurrent", width=8),
    "pixels": RunConfig(network="recurrent", width=8, sequence="pixels", activation="relu"),
}  # fmt: skip

# Charts with a single axis, whose values have the unit of the input.
ONE_SCALE = {"formula", "network"}

# Configurations with different labels, also built in large type, where space is short.
WORDED = ("two", "conv", "recurrent")
# Configurations divided among the charts: each chart is built for every second one of them, and
# also for the pair and the deepest network.
BY_TURNS = ("one", "three", "squared", "pixels")


def config_for(name: str, config: RunConfig = PAIR) -> RunConfig:
    plane = CHARTS[name].plane_only and config.network == "mlp"
    fitting = config.replace(dataset="moons") if plane else config
    return fitting if CHARTS[name].fits(fitting) else PAIR


def fitting(name: str) -> list[str]:
    """Return the configurations that suit a chart."""
    return [case for case in CONFIGS
            if config_for(name, CONFIGS[case]) is not PAIR or case == "two"]  # fmt: skip


def chosen(name: str) -> list[str]:
    """Return the configurations with which a chart is tested."""
    turn = [*CHARTS].index(name) % 2
    return [case for case in fitting(name) if case in ("two", "four", *BY_TURNS[turn::2])]


def pair() -> tuple[Frame, ...]:
    return record(PAIR, change=1.0)


def frames_of(name: str) -> tuple[Frame, ...]:
    return record(PLANE) if CHARTS[name].plane_only else pair()


def networks_of(name: str) -> dict[str, str]:
    """Return the networks of the pair that a chart draws, with their labels."""
    entry = CHARTS[name]
    every = {"none": "without BN", "batch": "with BN"}
    if entry.group == "stage":  # one chart per network
        return {"none": every["none"]}
    return {"batch": every["batch"]} if entry.batch_statistics else every


def traces_of(one: kinds.Binding) -> list[int]:
    return [one.trace] if hasattr(one, "trace") else []


def fields_of(one: kinds.Binding) -> set[str]:
    if isinstance(one, kinds.Labels):
        return {label.field for label in one.of}
    return {one.field} if isinstance(one, kinds.MeasuredBinding) else set()


def shown_titles(figure: Figure) -> list[str]:
    layout = figure.layout.to_plotly_json()
    axes = [axis for key, axis in layout.items() if re.match(r"[xy]axis", key)]
    return [axis["title"]["text"] for axis in axes if axis.get("title", {}).get("text")]


def colours(theme: Theme) -> set[str]:
    styles = [style for norms in (("none", "batch"), tuple("abcd"))
              for style in theme.networks(norms).values()]  # fmt: skip
    return {theme.ink, theme.muted, theme.grid, theme.zone, theme.dead, *(s.line for s in styles)}


def assert_titles_fit(chart: Chart, *, large_type: int) -> None:
    layout, sizes = chart.figure.layout, type_sizes(large_type=large_type)
    plot = layout.height - layout.margin.t - layout.margin.b
    for key, axis in layout.to_plotly_json().items():
        title = axis.get("title", {}).get("text") if key.startswith("yaxis") else None
        if title:
            low, high = axis.get("domain", (0, 1))
            # A title may extend past the end of its axis by the height of a tick label.
            assert text_width(title, sizes.small) <= (high - low) * plot + 2 * sizes.base, title


def assert_whole(name: str, chart: Chart) -> None:
    entry = CHARTS[name]
    assert chart.name == name
    assert set(chart.needs) == set(entry.needs) <= set(PROBES)
    # A note below a chart names missing measurements, so each measurement needs a short name.
    assert set(chart.needs) <= set(of_each("probes", "short"))
    assert chart.title
    assert chart.subtitle
    made = orjson.loads(orjson.dumps(chart.to_json()))
    assert made["name"] == name
    assert made["help"]
    assert made["look"]
    assert made["shelf"] == entry.shelf
    for one in chart.bindings:
        assert all(0 <= trace < len(chart.figure.data) for trace in traces_of(one))


RULES: list[Callable[[str], None]] = []


def rule(check: Callable[[str], None]) -> Callable[[str], None]:
    """Register a rule, which is called with the name of each chart."""
    RULES.append(check)
    return check


@rule
def builds_for_any_networks_and_depth(name):
    for case in chosen(name):
        chart = make_chart(name, config_for(name, CONFIGS[case]))
        assert_whole(name, chart)
        assert_titles_fit(chart, large_type=0)


@rule
def every_colour_is_that_of_the_theme(name):
    config = config_for(name, CONFIGS["four"])
    light, dark = (str(make_chart(name, config, dark=dark).to_json()) for dark in (False, True))
    assert not [colour for colour in colours(DARK) if colour in light]
    assert not [colour for colour in colours(LIGHT) if colour in dark]


@rule
def every_network_has_lines_and_words(name):
    config = config_for(name)
    chart = make_chart(name, config)
    fields = set().union(*map(fields_of, chart.bindings))
    words = orjson.dumps(chart.to_json()).decode()
    for norm, label in networks_of(name).items():
        assert any(field.startswith(f"{norm}.") for field in fields)
        assert label in words
        assert any(column.field.startswith(f"{norm}.") for column in chart.table.columns)


@rule
def the_subtitle_says_on_what_and_in_which_mode(name):
    subtitle = make_chart(name, config_for(name)).subtitle
    if name not in MODELESS:
        said = "say it in the words of the subtitle, or name the chart in MODELESS"
        assert re.search(r"training[- ]mode|inference mode", subtitle), said
        assert re.search(r"test|mini-batch|training examples", subtitle), said
    assert not re.search(r"\{(?!step\})", subtitle)


@rule
def axes_have_titles_and_units(name):
    # Charts of the group "stage" are labelled by their card; the home page explains its own chart.
    if CHARTS[name].group == "stage" or name == "stacks":
        return
    titles = shown_titles(make_chart(name, config_for(name)).figure)
    assert len(titles) >= (1 if name in ONE_SCALE else 2)
    # Each title has a symbol, a number, or a word that names the scale.
    units = r"[^A-Za-z ,]|nats|log|scaled|input of|singular|step|place|ms|rad|one scale|cosine"
    assert all(re.search(units, title) for title in titles), titles


@rule
def titles_fit_beside_their_panels_in_large_type_too(name):
    for case in WORDED:
        if case in fitting(name):
            assert_fits_in_large_type(name, case)


def assert_fits_in_large_type(name, case):
    chart = make_chart(name, config_for(name, CONFIGS[case]), large_type=PRESENTATION_TYPE[0])
    assert_whole(name, chart)
    assert_titles_fit(chart, large_type=PRESENTATION_TYPE[0])
    axes = [axis for key, axis in chart.figure.layout.to_plotly_json().items() if "axis" in key]
    assert not {"≤", "≥"} & {word for axis in axes for word in axis.get("ticktext") or ()}


@rule
def every_field_is_one_that_a_run_measures(name):
    config = config_for(name)
    frames = record(config, 1) if config is not PAIR else pair()
    chart = make_chart(name, config)
    columns = {column.field for column in chart.table.columns}
    fields = columns.union(*map(fields_of, chart.bindings))
    found = read_fields(fields)
    assert not [
        field.text for field in found if all(field.point(frame) is None for frame in frames)
    ]


@rule
def a_real_run_fills_every_bound_trace(name):
    chart = make_chart(name, PLANE if CHARTS[name].plane_only else PAIR)
    figure = apply(chart, frames_of(name))
    bound = [one for one in chart.bindings
             if isinstance(one, kinds.MeasuredBinding) and not isinstance(one, kinds.Text)
             # Without weight decay, there is no angle at which weights settle.
             and not any("weights.settled" in field for field in fields_of(one))]  # fmt: skip
    assert bound
    for one in bound:
        trace = figure.data[one.trace]
        drawn = trace.z if isinstance(one, kinds.Heat) else trace[getattr(one, "attr", "x")]
        assert len(drawn) > 0
        assert any(value is not None for value in drawn)


@rule
def phone_and_desktop_change_the_same_layout(name):
    if name in ONE_FORM:
        return
    chart = make_chart(name, config_for(name))
    wide, narrow = chart.wide["layout"], chart.compact["layout"]
    assert wide.keys() == narrow.keys()
    if chart.medium is not None:
        assert chart.medium["layout"].keys() == wide.keys()
        assert chart.medium["below"] > chart.compact["below"]
    assert chart.height == chart.wide["height"] == chart.figure.layout.height
    for form in (wide, narrow):
        Figure(layout=chart.figure.layout).update_layout(  # raises on an invalid layout
            **{key.replace(".", "_"): value for key, value in form.items()}
        )


@rule
def charts_over_time_show_changes_breaks_and_the_cursor(name):
    chart = make_chart(name, config_for(name))
    steps = [one for one in chart.bindings if isinstance(one, kinds.Series) and not one.across]
    assert chart.time == bool(steps)
    if not steps:
        return
    figure = apply(chart, pair())
    changes = [one for one in chart.bindings
               if isinstance(one, kinds.Marks) and one.of == "changes"]  # fmt: skip
    assert changes
    assert all(figure.data[one.trace].x == (2, 2, None) for one in changes)
    breaks = {one.of for one in chart.bindings if isinstance(one, kinds.Marks)} - {"changes"}
    assert breaks == set(networks_of(name))
    assert any(isinstance(one, kinds.Cursor) for one in chart.bindings)


@rule
def selectors_offer_what_their_index_asks_for(name):
    chart = make_chart(name, config_for(name))
    asked = set(re.findall(r"\$(\w+)", str([one.to_json() for one in chart.bindings])))
    assert asked == {selector.name for selector in chart.selectors}
    for selector in chart.selectors:
        assert 0 <= selector.default < len(selector.options)


@pytest.mark.parametrize("name", CHARTS)
@every_case("check", RULES)
def test_a_chart_keeps_every_rule(name, check):
    check(name)


def test_the_default_dashboard_has_few_traces():
    config = RunConfig()
    counts = [len(make_chart(name, config).figure.data) for name in ("loss", "layers")]
    assert sum(counts) <= 22
