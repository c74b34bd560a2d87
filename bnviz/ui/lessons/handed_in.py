"""Submissions of a class: pasted links and dropped files, parsed as untrusted input.

Links are never followed. From a file, the browser sends only the block of numbers
(assets/lessons/report_files.js).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlsplit

from bnviz.config import ConfigError, RunConfig, with_change
from bnviz.lessons import LESSONS
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.report import Report, check_length, plan_again, read_report
from bnviz.live.contract import LONGEST_LINK, LONGEST_REPORT, MOST_HANDED_IN
from bnviz.planned_runs.plan import FASTEST, Plan
from bnviz.ui.html import Markup
from bnviz.ui.lab_query import probes_of, read_lab_query
from bnviz.ui.lessons.prediction import guess_text
from bnviz.ui.lessons.query import read_lesson_query
from bnviz.ui.lessons.report import lesson_lines, lesson_setting
from bnviz.ui.lessons.words import lesson_words
from bnviz.ui.navigation import page_link
from bnviz.ui.query_problems import problem_text
from bnviz.ui.report import lab_setting, setting_lines
from bnviz.words.phrase import error_text, phrase
from bnviz.words.texts import texts

LONGEST_FILE_NAME = 120
MOST_PARAMETERS = 100


@dataclass(frozen=True, kw_only=True)
class HandedIn:
    """Submitted link or file, as a row of the table.

    Attributes:
        setting: differences from the settings of the lesson or preset.
        plan: schedule that repeats the run, or None if `problem` says why that is impossible.
    """

    who: str
    link: Markup
    guess: str
    setting: tuple[str, ...]
    report: Report | None
    config: RunConfig
    plan: Plan | None
    lesson: Lesson | None = None
    probes: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Collection:
    """All submissions: valid rows, and a sentence about each problem with its location."""

    rows: tuple[HandedIn, ...]
    problems: tuple[str, ...]


def read_collection(given: object) -> Collection:
    """Parse `links`, a text with one link per line, and `files`, each with `name` and `text`."""
    words = texts("collect")
    table = given if isinstance(given, Mapping) else {}
    links, files = table.get("links"), table.get("files")
    lines = [line.strip() for line in str(links or "").splitlines() if line.strip()]
    entries: list[tuple[str, str, bool]] = [
        (words["line"].format(place=place), line, False) for place, line in enumerate(lines, 1)
    ]
    for one in files if isinstance(files, list | tuple) else ():
        if isinstance(one, Mapping):
            name = str(one.get("name"))[:LONGEST_FILE_NAME]
            entries.append((name, str(one.get("text"))[: LONGEST_REPORT + 1], True))
    rows: list[HandedIn] = []
    problems: list[str] = []
    if len(entries) > MOST_HANDED_IN:
        problems.append(words["too_many"].format(count=len(entries), most=MOST_HANDED_IN))
    for where, text, is_file in entries[:MOST_HANDED_IN]:
        try:
            row, told = _read(where, text, is_file=is_file)
        except ConfigError as error:
            problems.append(f"{where}: {error_text(error)}")
            continue
        rows.append(row)
        problems += [f"{where}: {sentence}" for sentence in told]
    return Collection(rows=tuple(rows), problems=tuple(problems))


def _read(where: str, text: str, *, is_file: bool) -> tuple[HandedIn, list[str]]:
    """Parse a submission into a row, and sentences about refused parts of its link.

    Raises:
        ConfigError: The submission is invalid.
    """
    report = read_report(text) if is_file else None
    page, query = _parts(report.link if report else text)
    who = (report.who if report else "") or where
    if page == "lab":
        return _of_lab(who, query, report)
    return _of_lesson(who, query, report)


def _parts(link: str) -> tuple[str, dict[str, str]]:
    """Return the page and the query of a link to any server."""
    wrong = ConfigError("link", link, phrase("errors.report_link"))
    if len(link) > LONGEST_LINK:
        raise ConfigError("link", link, phrase("errors.characters", most=LONGEST_LINK))
    try:
        parts = urlsplit(link)
        query = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS)
    except ValueError:
        raise wrong from None
    page = parts.path.rstrip("/").rpartition("/")[2]
    if page not in ("lessons", "lab"):
        raise wrong
    return page, dict(query)


def _of_lesson(
    who: str, given: Mapping[str, str], report: Report | None
) -> tuple[HandedIn, list[str]]:
    name = given.get("lesson", "")
    if name not in LESSONS or LESSONS[name].is_page:
        raise ConfigError("lesson", name, phrase("errors.report_link"))
    query, lesson = read_lesson_query(given), LESSONS[name].resolve()
    words = lesson_words(name, lesson)
    config, plan = query.setting(lesson)
    again, problem = _plan_again(report, config, plan)
    row = HandedIn(
        who=who, link=lesson_setting(query).link(),
        guess=guess_text(query, lesson, words), setting=tuple(lesson_lines(query, words)),
        report=report, config=config, plan=again, problem=problem,
        lesson=None if query.broken or lesson.rule is None else lesson,
        probes=probes_of(chart for chart, _ in lesson.charts_of(query.broken)),
    )  # fmt: skip
    return row, [problem_text(each, words.frame["notice"]) for each in query.problems]


def _of_lab(
    who: str, given: Mapping[str, str], report: Report | None
) -> tuple[HandedIn, list[str]]:
    query = read_lab_query({n: text for n, text in given.items() if n not in ("run", "at")})
    told = query.told()
    if report is not None:
        query = replace(query, changes=report.changes, steps=report.measured.step)
    setting = lab_setting(query)
    label = texts("presets")[query.preset]["label"]
    again, problem = _plan_again(report, query.config, query.plan)
    # Leave out changes that are too long for an address. Also leave out all changes if one is
    # refused, because the page would refuse the whole link.
    long = sum(map(len, query.again.values())) > LONGEST_LINK
    repeats = query.again if again and not long else {}
    to = {**setting.to_query(query.config, None), **repeats}
    row = HandedIn(
        who=who, link=page_link("lab", label, to), guess="",
        setting=tuple(setting_lines(query.config, setting.defaults(query.config))),
        report=report, config=query.config, plan=again, problem=problem,
    )  # fmt: skip
    return row, told


def _plan_again(
    report: Report | None, config: RunConfig, plan: Plan | None
) -> tuple[Plan | None, str]:
    """Return the plan that repeats a run, or None and the reason."""
    try:
        if report is not None:
            again = plan_again(report, plan)
            now = config
            for change in again.changes:
                now, _ = with_change(now, change.values)
        elif plan is not None:
            check_length(plan.last_step)
            again = replace(plan, rates=((plan.last_step, FASTEST),), from_change=False)
        else:
            return None, texts("collect")["lab_alone"]
        again.check(config)
    except ConfigError as error:
        return None, error_text(error)
    return again, ""
