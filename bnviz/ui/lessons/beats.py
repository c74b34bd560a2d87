"""The beats of a lesson: question, guess, what the run says, why, and now break it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape

import streamlit as st

from bnviz.lessons.lesson import Lesson, ends
from bnviz.lessons.watched import NotMeasured
from bnviz.ui.lessons.address import go_to
from bnviz.ui.lessons.hands import draw_hands
from bnviz.ui.lessons.judgement import Judgement
from bnviz.ui.lessons.networks import with_lines
from bnviz.ui.lessons.running import Running
from bnviz.ui.lessons.said import Said, beat, own_names
from bnviz.ui.lessons.settings import draw_settings
from bnviz.ui.lessons.visit import Visit, structural
from bnviz.ui.lessons.waiting import wait_for_measuring
from bnviz.ui.navigation import page_link
from bnviz.ui.series import draw_series

# Lessons whose run has said something in this tab.
SEEN = "lessons_seen"


@dataclass(frozen=True)
class Page:
    """What the beats need.

    Attributes:
        visit: what the address says.
        lesson: whose beats they are.
        said: its words.
        running: its run.
    """

    visit: Visit
    lesson: Lesson
    said: Said
    running: Running

    def go(self, **changes: object) -> Callable[[], None]:
        """What a button calls to change the address, and with it the page."""
        target = replace(self.visit, run=None, problems=(), **changes)  # type: ignore[arg-type]

        def went() -> None:
            go_to(target)

        return went

    def draw(self) -> None:
        """Draw all beats that are open."""
        # Settled once: when a run has said something here, the rest opens below it.
        below = self._below
        self._question()
        if self.lesson.answers and not self.visit.embed:
            self._predict()
        with beat(self.said.frame["beat"]["watch"], key="watch"):
            st.html(self._watch())
            if not below:
                self._start()
            if not self.visit.waits(self.lesson) and not self.visit.embed:
                draw_hands(self.visit, self.lesson, self.said, self.running)
        # What has been opened stays open while the same lesson runs in other settings.
        seen = self._seen
        if not below and self._verdict():
            seen.add(self.lesson.name)
        open_now = self.lesson.name in seen and not self.visit.waits(self.lesson)
        if open_now and not self.visit.hide:
            self._why()
            self._series()
            if not self.visit.embed:
                self._break(below=below)
            if "so_far" in self.said.words:
                self._so_far()

    @property
    def _seen(self) -> set[str]:
        found: set[str] = st.session_state.setdefault(SEEN, set())
        return found

    @property
    def _below(self) -> bool:
        """Whether what the run says stands below the buttons that set it, where it is in sight."""
        visit = self.visit
        if visit.hide or visit.embed or visit.waits(self.lesson):
            return False
        return bool(visit.broken or visit.knobs) and self.lesson.name in self._seen

    def _watch(self) -> str:
        """What to look at; of a broken run, which one it is."""
        if self.visit.broken is None:
            return self.said.html(self.said.words["watch"])
        label = self.said.filled(self.said.words["break"][self.visit.broken]["label"])
        return f"<p>{escape(self.said.frame['break']['shown'].format(label=label))}</p>"

    def _question(self) -> None:
        with beat(self.said.frame["beat"]["question"], key="question"):
            st.html(self.said.html(self.said.words["question"]))
            if "about" in self.said.words:
                about = page_link("about", self.said.words["about"], class_="lesson-about")
                st.html(about)

    def _predict(self) -> None:
        frame, guess = self.said.frame["predict"], self.visit.guess
        with beat(self.said.frame["beat"]["predict"], key="predict"):
            st.html(self.said.html(self.said.words["predict"]))
            for key in self.lesson.answers:
                label = self.said.answer(key)
                if key == guess:
                    label = f"{label} :gray[*{frame['yours']}*]"
                st.button(
                    label, key=f"answer_{key}", width="stretch", on_click=self._guess(key),
                    type="primary" if key == guess else "secondary",
                    disabled=guess is not None and self.running.step > 0 and key != guess,
                )  # fmt: skip
            if guess is None:
                st.caption(frame["blocked"])
            elif self.running.finished:
                st.button(frame["again"], type="tertiary", on_click=self._again)

    def _guess(self, key: str) -> Callable[[], None]:
        go = self.go(guess=key)

        def guessed() -> None:
            go()
            self.running.play()

        return guessed

    def _again(self) -> None:
        self.go(guess=None, broken=None, knobs={}, seed=self.visit.next_seed)()

    def _start(self) -> None:
        waiting = self.visit.waits(self.lesson)
        if waiting or self.running.finished or self.visit.embed:
            return
        step, at = str(self.running.plan.last_step), self.running.step
        if self.running.playing:
            st.caption(self.said.plain("watch", "running", step=step))
        elif at > 0:
            st.caption(self.said.plain("watch", "paused", step=step, at=str(at)))
            label = self.said.frame["watch"]["go_on"]
            st.button(label, key="lesson_go_on", type="primary", on_click=self.running.play)
        else:
            label = self.said.frame["watch"]["start"]
            st.button(label, key="lesson_play", type="primary", on_click=self.running.play)

    def _verdict(self) -> bool:
        """Draw what the run says; whether it said something."""
        if not self.running.finished or self.visit.waits(self.lesson):
            return False
        with beat(self.said.frame["beat"]["verdict"], key="verdict"):
            return self._say()

    def _say_below(self) -> None:
        """Draw what another setting says, or that it is at work."""
        with st.container(key="lesson_said"):
            if self.running.finished:
                self._say()
            else:
                self._start()

    def _say(self) -> bool:
        if self.visit.hide:
            st.caption(self.said.frame["verdict"]["hidden"])
            return False
        try:
            self._tell()
        except NotMeasured:
            wait_for_measuring(self.said, self.running)
            return False
        return True

    @property
    def _judgement(self) -> Judgement:
        return Judgement(self.visit, self.said, self.running)

    def _tell(self) -> None:
        watched = self.running.watched()
        if self.visit.broken is not None:
            chosen = self.lesson.break_named(self.visit.broken)
            seen = self.said.words["break"][chosen.name].get("seen", ())
            more = self._judgement.reached(ends(watched)) if chosen.ends else ()
            told = self.said.sentences(seen, chosen.tell(watched), more)
            names = own_names(self.said.words, chosen.name, "called")
            lined = with_lines(told, self.running.config.norms, names)
            st.html(f"<div role='status'>{lined}</div>")
            return
        verdict = self.lesson.verdict(watched)
        if verdict is None:
            raise NotMeasured("the last step")
        st.html(f"<div role='status'>{self._judgement.sentences(verdict)}</div>")
        if self.visit.embed:
            return
        st.button(
            self.said.frame["verdict"]["seed"], type="tertiary", key="other_seed",
            on_click=self.go(seed=self.visit.next_seed),
        )  # fmt: skip

    def _why(self) -> None:
        words = self.said.words
        with beat(self.said.frame["beat"]["why"], key="why"):
            st.html(self.said.html(words["why"]))
            with st.expander(self.said.frame["beat"]["more"]):
                for part in words["more"]:
                    st.markdown(
                        f"**{part['title']}**\n\n{self.said.filled(part['text'])}",
                        unsafe_allow_html=True,
                    )
            with st.expander(self.said.frame["beat"]["popular"]):
                items = "".join(
                    f"<dt>“{self.said.html(each['says']).removeprefix('<p>').removesuffix('</p>')}”</dt>"
                    f"<dd>{self.said.html(each['seen'])}</dd>"
                    for each in words["popular"]
                )
                st.html(f"<dl class='lesson-popular'>{items}</dl>")

    def _so_far(self) -> None:
        so_far = self.said.words["so_far"]
        reasons = "".join(
            f"<li><span class='lesson-state'>{escape(so_far[each['state']])}</span> "
            f"{escape(each['text'])}</li>"
            for each in so_far["reasons"]
        )
        st.html(
            f"<section class='lesson-so-far'><h3>{escape(so_far['title'])}</h3>"
            f"<p>{escape(so_far['intro'])}</p><ol>{reasons}</ol></section>"
        )

    def _series(self) -> None:
        series = self.lesson.series
        if series is None or self.visit.embed:
            return
        words = self.said.words["series"]
        own = {**words, "text": self.said.html(words["text"])}
        draw_series(series.with_seed(self.visit.seed), own)

    def _break(self, *, below: bool) -> None:
        frame = self.said.frame["break"]
        with beat(self.said.frame["beat"]["break"], key="break"):
            st.html(f"<p>{escape(frame['intro'])}</p>")
            for each in self.lesson.breaks:
                label = self.said.filled(self.said.words["break"][each.name]["label"])
                st.button(
                    label, key=f"break_{each.name}", width="stretch",
                    type="primary" if each.name == self.visit.broken else "secondary",
                    on_click=self.go(broken=each.name, knobs={}),
                )  # fmt: skip
            if below and self.visit.broken:
                self._say_below()
            if structural(self.lesson):
                st.html(f"<p>{escape(frame['knobs'])}</p>")
                draw_settings(self.visit, self.lesson, self.go)
            if below and not self.visit.broken:
                self._say_below()
            if self.visit.broken or self.visit.knobs:
                st.button(frame["own"], type="tertiary", on_click=self.go(broken=None, knobs={}))
