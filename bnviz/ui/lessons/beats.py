"""The beats of a lesson: question, guess, what the run says, why, and now break it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape

import streamlit as st

from bnviz.config import KNOBS
from bnviz.lessons.lesson import Lesson, Verdict
from bnviz.lessons.watched import NotMeasured
from bnviz.lessons.words import FORMATS
from bnviz.texts import texts
from bnviz.ui.knobs import network_labels
from bnviz.ui.ladders import number
from bnviz.ui.lessons.address import go_to
from bnviz.ui.lessons.hands import draw_hands
from bnviz.ui.lessons.networks import with_lines
from bnviz.ui.lessons.running import Running
from bnviz.ui.lessons.said import Said, beat
from bnviz.ui.lessons.settings import draw_settings
from bnviz.ui.lessons.visit import Visit, structural
from bnviz.ui.series import draw_series

# Lessons whose run has said something in this tab.
SEEN = "lessons_seen"
MEASURED_EVERY = 1.0  # seconds, while what a verdict needs is still being measured


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
        self._question()
        if self.lesson.answers and not self.visit.embed:
            self._predict()
        with beat(self.said.frame["beat"]["watch"], key="watch"):
            st.html(self._watch())
            self._start()
            if not self.visit.waits(self.lesson) and not self.visit.embed:
                draw_hands(self.visit, self.lesson, self.said, self.running)
        # What has been opened stays open while the same lesson runs in other settings.
        seen: set[str] = st.session_state.setdefault(SEEN, set())
        if self._verdict():
            seen.add(self.lesson.name)
        open_now = self.lesson.name in seen and not self.visit.waits(self.lesson)
        if open_now and not self.visit.hide:
            self._why()
            self._series()
            if not self.visit.embed:
                self._break()
            if "so_far" in self.said.words:
                self._so_far()

    def _watch(self) -> str:
        """What to look at; of a broken run, which one it is."""
        if self.visit.broken is None:
            return self.said.html(self.said.words["watch"])
        label = self.said.filled(self.said.words["break"][self.visit.broken]["label"])
        return f"<p>{escape(self.said.frame['break']['shown'].format(label=label))}</p>"

    def _question(self) -> None:
        with beat(self.said.frame["beat"]["question"], key="question"):
            st.html(self.said.html(self.said.words["question"]))

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
        if self.running.playing or self.running.step > 0:
            step = str(self.running.plan.last_step)
            st.caption(self.said.plain("watch", "running", step=step))
        else:
            label = self.said.frame["watch"]["start"]
            st.button(label, key="lesson_play", type="primary", on_click=self.running.play)

    def _verdict(self) -> bool:
        """Draw what the run says; whether it said something."""
        if not self.running.finished or self.visit.waits(self.lesson):
            return False
        with beat(self.said.frame["beat"]["verdict"], key="verdict"):
            if self.visit.hide:
                st.caption(self.said.frame["verdict"]["hidden"])
                return False
            if self.visit.present and not st.session_state.get(self._revealed):
                st.button(
                    self.said.frame["verdict"]["reveal"], type="primary", shortcut="v",
                    on_click=lambda: st.session_state.update({self._revealed: True}),
                )  # fmt: skip
                return False
            try:
                self._tell()
            except NotMeasured:
                self._wait()
                return False
        return True

    @property
    def _revealed(self) -> str:
        return f"revealed {self.running.lab.run}"

    def _tell(self) -> None:
        watched = self.running.watched()
        if self.visit.broken is not None:
            chosen = self.lesson.break_named(self.visit.broken)
            seen = self.said.words["break"][chosen.name]["seen"]
            told = self.said.sentences(seen, chosen.tell(watched))
            st.html(f"<div role='status'>{with_lines(told, self.running.config.norms)}</div>")
            return
        verdict = self.lesson.verdict(watched)
        if verdict is None:
            raise NotMeasured("the last step")
        st.html(f"<div role='status'>{self._sentences(verdict)}</div>")
        if self.visit.embed:
            return
        st.button(
            self.said.frame["verdict"]["seed"], type="tertiary", key="other_seed",
            on_click=self.go(seed=self.visit.next_seed),
        )  # fmt: skip

    def _sentences(self, verdict: Verdict) -> str:
        frame, words = self.said.frame["verdict"], self.said.words
        outcome = f"<strong>{escape(frame[verdict.outcome])}</strong>"
        if verdict.missing is not None:
            missing = verdict.missing
            reason = self.said.plain(
                "verdict", "missing", knob=KNOBS[missing.knob].label,
                needed=self._knob(missing.needed), found=self._knob(missing.found),
            )  # fmt: skip
            return f"<p>{outcome} {reason} {self._reached(verdict)}</p>"
        told = self.said.sentences(words["verdict"][verdict.outcome], verdict.numbers)
        claim = self.said.plain("verdict", "claim", claim=words["verdict"]["claim"])
        judged = f"<p class='lesson-outcome'>{escape(claim)} {outcome}</p>"
        told = with_lines(told, self.running.config.norms)
        return f"{told}{judged}{self._beside(verdict)}"

    def _beside(self, verdict: Verdict) -> str:
        """The guess beside what the run says; neither is called right."""
        guess, says = self.visit.guess, self.said.words["says"]
        run = self.said.html(says[verdict.answer], verdict.numbers) if verdict.answer else ""
        run = run.removeprefix("<p>").removesuffix("</p>")
        if guess is None:
            return f"<p>{self.said.frame['verdict']['no_guess'].format(run=run)}</p>" if run else ""
        key = "none" if not run else ("same" if guess == verdict.answer else "other")
        text = self.said.frame["verdict"][key]
        idea = self.said.frame["verdict"]["idea"].format(idea=self.said.words["ideas"][guess])
        told = text.format(guess=escape(self.said.answer(guess)), run=run)
        return f"<p>{told}</p><p class='lesson-idea'>{escape(idea)}</p>"

    def _reached(self, verdict: Verdict) -> str:
        """What each network had at the end of a run that cannot say."""
        names = network_labels(self.running.lab)
        return " ".join(
            self.said.plain(
                "verdict", "reached", network=names[norm], share=FORMATS["percent"](float(share))
            )
            for norm, share in verdict.numbers.items()
            if share is not None and norm in names
        )

    def _knob(self, value: object) -> str:
        """A knob's value as a sentence has it."""
        if isinstance(value, bool):
            return str(self.said.frame["choice"]["on" if value else "off"])
        if isinstance(value, int | float):
            return number(value)
        return str(texts("lab")["choice"].get(value, value))

    def _wait(self) -> None:
        """Look again every second until everything is measured, for as long as the page is open.

        A run that has gone on, in the lab, is not measured at that step any more, and a network
        whose mini-batch is too small not at all.
        """
        gone_on = self.running.step > self.running.plan.last_step
        if gone_on or self.running.watched().stands_still:
            st.caption(self.said.frame["verdict"]["not_measured"])
            return
        st.caption(self.said.frame["watch"]["measuring"])

        drawn: list[bool] = []

        @st.fragment(run_every=MEASURED_EVERY)
        def look() -> None:
            if drawn:
                st.rerun()
            drawn.append(True)

        look()

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
        draw_series(series.with_seed(self.visit.seed), own, large=self.visit.present)

    def _break(self) -> None:
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
            if structural(self.lesson):
                st.html(f"<p>{escape(frame['knobs'])}</p>")
                draw_settings(self.visit, self.lesson, self.go)
            if self.visit.broken or self.visit.knobs:
                st.button(frame["own"], type="tertiary", on_click=self.go(broken=None, knobs={}))
