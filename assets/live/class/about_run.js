// What a class is asked about, on a page with a run: how it stands still and goes on, which questions
// there are, what came of one. A map has the same (map/about_map.js).

import { joined } from "./asked.js";
import { AskedRun } from "./asked_run.js";
import { firstQuestion, givenQuestion, questionsFor } from "./questions.js";

export class AboutRun {
  Asked = AskedRun;
  #view;

  /** @param view the live view */
  constructor(view) {
    this.#view = view;
  }

  /** What stands there now: another one, and what was asked may be over. */
  get id() {
    return this.#view.data.run;
  }

  /** Only one's own run can be asked about: it is paused for it. */
  get may() {
    return this.#view.data.can_control;
  }

  /** Whether a question that was kept over a reload stands here again. */
  get resumes() {
    const { can_control: may, block } = this.#view.data;
    return may && !block;
  }

  /** @param norm the network that a question about one network asks about */
  questions(norm) {
    const { data, t } = this.#view;
    return questionsFor(data, t, norm);
  }

  /** The question that the page opens with; null: none. */
  opening() {
    const { data, t } = this.#view;
    if (!data.paused_question) return null;
    const own = data.talk ? givenQuestion(data, t) : null; // a station asks its own
    return own ?? firstQuestion(data, t);
  }

  /** When it is settled, in words for who chooses it; "" where that is not known. */
  settles({ steps }) {
    return steps ? this.#view.t("class.composer.steps", { steps }) : "";
  }

  /** How the run stands; null before the first frame. */
  now() {
    return this.#view.scene();
  }

  /** What is asked is asked of the step where the run stands. */
  stop() {
    this.#view.time.live();
    if (this.#view.transport.playing) this.#view.act("pause");
  }

  go() {
    if (!this.#view.transport.playing) this.#view.act("play");
  }

  /** What the button that lets it go on says. */
  get goes() {
    return this.#view.t("class.layer.run");
  }

  /** A knob that is moved while a class thinks acts when the run goes on, not before. */
  hold(yes) {
    this.#view.link?.hold(yes);
  }

  /** What came of a question: {answers, sentence}; null as long as that is open. */
  decide(asked, scene) {
    const { data, t } = this.#view;
    const found = asked.decide(scene, data.chance);
    if (!found) return this.#toldByPage(asked);
    const parts = found.said.map(([key, { norm, ...values }]) =>
      t(`class.happened.${key}`, { ...values, ...(norm && { label: data.labels[norm] ?? norm }) }));
    return { answers: found.answers, sentence: joined(parts) };
  }

  /** What a lesson says of its own question when its run has come to its end. */
  #toldByPage({ question, happened, going, from }) {
    const given = this.#view.data.question;
    const same = question.id === "given" && given?.text === question.text && given.run === from?.run;
    return same && going && !happened ? (given.happened ?? null) : null;
  }

  /** What is waited for while the run goes on. */
  waits(asked) {
    const { t, data, store } = this.#view;
    const until = asked.until(store);
    const [needed] = until === null ? Object.entries(asked.question.needs ?? {}) : [];
    if (!needed) return until ? t("class.panel.watching", { step: until }) : "";
    const [knob, value] = needed;
    return t("class.panel.needs", { knob: data.knobs.specs[knob]?.label.toLowerCase() ?? knob, value });
  }

  /** Say it to who hears the page. */
  say(sentence) {
    this.#view.announcer.say(sentence);
  }

  notice(key, values) {
    this.#view.notices.show(key, values);
  }
}
