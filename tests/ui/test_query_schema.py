"""Declared address parameters, and parameters of other sites, which no page reports as wrong."""

from bnviz.config import RunConfig
from bnviz.lessons import LESSONS
from bnviz.ui.lab_query import read_lab_query
from bnviz.ui.lessons.query import read_lesson_query as read_lesson
from bnviz.ui.map.query import read_map_query as read_map
from bnviz.ui.query_schema import (
    FOREIGN_NAMES,
    FOREIGN_PREFIXES,
    LAB_PARAMETERS,
    LAB_SCHEMA,
    QueryReader,
    lesson_schema,
    map_schema,
    unknown_names,
)
from bnviz.ui.sitemap import PAGES
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.ui.handed_over import components

SCHEMAS = {
    "lab": LAB_SCHEMA, "map": map_schema(),
    **{name: lesson_schema(entry.lesson) for name, entry in LESSONS.items()},
}  # fmt: skip
# Invalid values of parameters that accept nearly any text.
WRONG = {"because": "\x07"}
COUNTED = {"utm_source": "mail", "UTM_Campaign": "x", "fbclid": "1", "gclid": "2", "mc_cid": "3"}


@every_case("page", SCHEMAS)
def test_every_parameter_answers_a_wrong_value_with_words_of_its_page(page):
    """The map reports wrong values as a `ConfigError`."""
    words = texts("lab" if page in ("lab", "map") else "lessons")["notice"]
    for name in SCHEMAS[page]:
        reader = QueryReader(SCHEMAS[page], {name: WRONG.get(name, "½")})
        reader.take(name)
        assert reader.problems
        for key, values in reader.problems:
            assert words[key].format(**values) != words[key]


@every_case("page", SCHEMAS)
def test_every_default_but_none_is_written_as_it_is_read(page):
    for parameter in SCHEMAS[page].values():
        if parameter.default not in (None, ()):
            text = parameter.write(parameter.default)
            assert parameter.read(text) == parameter.default


@every_case("read", [read_lab_query, read_lesson, read_map])
def test_they_are_left_alone_and_others_are_still_named(read):
    assert list(read(COUNTED).problems) == []
    (problem,) = read({**COUNTED, "utmost": "1"}).problems
    assert "utmost" in str(problem)
    assert "fbclid" not in str(problem)


def test_no_name_of_ours_is_among_them():
    ours = {*LAB_PARAMETERS, "lesson", "guess", "zooms", "colour", "cell", "q", "row"}
    assert unknown_names(dict.fromkeys(ours, "")) != []
    assert not FOREIGN_NAMES & ours
    assert not any(name.startswith(FOREIGN_PREFIXES) for name in ours)


def test_they_open_no_other_run_and_home_says_nothing_of_them(open_lab, open_page):
    lab = open_lab(depth="3").session_state["lab"]
    run = lab.run_id
    for text in ("utm_source=mail", f"depth=3&run={run}&fbclid=1"):
        lab.open_query(text)
        assert (lab.run_id, lab.config, lab.notices) == (run, RunConfig(depth=3), [])
    for query, said in ((COUNTED, 0), ({"nope": "1"}, 1)):
        page = open_page(PAGES["home"].script, **query)
        assert sum('class="bnviz-answer"' in text.value for text in page.get("html")) == said


def test_the_page_of_the_claims_is_told_of_them(open_page):
    (data,) = (each for each in components(open_page(PAGES["claims"].script)) if "foreign" in each)
    assert set(data["foreign"]["names"]) == FOREIGN_NAMES
    assert tuple(data["foreign"]["prefixes"]) == FOREIGN_PREFIXES
