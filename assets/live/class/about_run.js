// What a class is asked about, on a page with a run: how it stands still and goes on, which questions
// there are, what came of one. A map has the same (map/about_map.js).

import { joined } from "./asked.js";
import { AskedRun } from "./asked_run.js";
import { firstQuestion, givenQuestion, questionsFor } from "./questions.js";

const OF_BREAKS = new Set(["breaks", "first"]);

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

  /**
   * The stations of a talk that a question asked now belongs to, first and last: the one that stands there, and
   * those that follow on its run and change nothing but what the question takes for granted. Null: no talk is given.
   */
  stations(question) {
    const { question: given, talk } = this.#view.data;
    return talk ? [talk.number, question?.id === "given" ? given.until : talk.until] : null;
  }

  #walks(question) {
    const { question: given, talk } = this.#view.data;
    return Boolean(talk && question?.id === "given" && given?.walks);
  }

  /**
   * Whether the stations that a question belongs to were left, or a talk has begun since it was asked. The page's own
   * stays behind where nobody has answered it.
   */
  left({ stations, alone, guess }) {
    const number = this.#view.data.talk?.number;
    if (!stations || !number) return Boolean(stations) !== Boolean(number);
    const [first, last] = stations;
    return number < first || number > (alone && guess === null ? first : last);
  }

  /** When it is settled, in words for who chooses it: perhaps it is already; "" where that is not known. */
  settles({ kind, network, networks, steps }) {
    const { data, store, t } = this.#view;
    const broke = kind === "layer" && store.breaks[network];
    if (broke) return t("class.composer.settled", { step: broke.step });
    const after = steps ? t("class.composer.steps", { steps }) : "";
    if (!OF_BREAKS.has(kind)) return after;
    const before = networks.filter((norm) => norm && store.breaks[norm]).map((norm) =>
      t("class.composer.broken", { label: data.labels[norm] ?? norm, step: store.breaks[norm].step }));
    return joined([...before, after].filter(Boolean));
  }

  /** Whether nothing that is known already answers a question: a network that it asks about has broken. */
  open({ kind, network, networks }) {
    const { breaks } = this.#view.store;
    if (kind === "layer") return !breaks[network];
    return !OF_BREAKS.has(kind) || !networks.some((norm) => norm && breaks[norm]);
  }

  /** How the run stands; null before the first frame. */
  now() {
    return this.#view.scene();
  }

  /** @returns whether it was going */
  stop() {
    const { playing } = this.#view.transport;
    if (playing) this.#view.act("pause");
    return playing;
  }

  /** What is asked is asked of the step where the run stands. */
  begin() {
    this.#view.time.live();
  }

  /** @param question whose knobs are set as it takes them to be; null: all stay where they are */
  go(question = null) {
    // What a station's question takes for granted is done by the next one, at the step that it is about.
    if (this.#walks(question)) return this.#view.talk.walk(1);
    for (const [knob, value] of this.#lacks(question)) this.#view.link.set(knob, value);
    if (!this.#view.transport.playing) this.#view.act("play");
  }

  /** What the button that lets it go on says: also what that sets. */
  goes(question) {
    const { t } = this.#view;
    const knobs = this.#lacks(question).map(([knob, value]) => t("class.layer.knob", { knob: this.#named(knob), value }));
    return knobs.length ? t("class.layer.run_with", { knobs: knobs.join(", ") }) : t("class.layer.run");
  }

  /** The knobs that are not what a question takes for granted: [knob, value]. */
  #lacks(question) {
    const { link } = this.#view;
    return Object.entries(question?.needs ?? {}).filter(([knob, value]) => link?.shown(knob) !== value);
  }

  #named(knob) {
    return this.#view.data.knobs.specs[knob]?.label.toLowerCase() ?? knob;
  }

  /** While a question is open nothing on the page answers it. @param question null: none is open */
  cover(question) {
    const view = this.#view;
    if (view.covered === question) return;
    view.covered = question;
    view.root.classList.toggle("bnviz-covered", question !== null);
    view.edges.fill();
    if (view.store) view.paint();
  }

  /** A knob that is moved while a class thinks acts when the run goes on, not before. */
  hold(yes) {
    this.#view.link?.hold(yes);
  }

  /** It stands as it stood: no knob that was moved meanwhile has it go on. */
  takeBack() {
    this.#view.link?.takeBack();
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

  /** The step at which the answer is known; null as long as that cannot be said. */
  awaited(asked) {
    return asked.until(this.#view.store);
  }

  /** What is waited for while the run goes on. */
  waits(asked) {
    const { t } = this.#view;
    const until = this.awaited(asked);
    const [needed] = until === null ? Object.entries(asked.question.needs ?? {}) : [];
    if (!needed) return until ? t("class.panel.watching", { step: until }) : "";
    const [knob, value] = needed;
    return t("class.panel.needs", { knob: this.#named(knob), value });
  }

  /** What came of a question, where the run has been started over since, or is another. */
  before(sentence) {
    return this.#view.t("class.panel.before", { sentence });
  }

  /** Say it to who hears the page. */
  say(sentence) {
    this.#view.announcer.say(sentence);
  }

  notice(key, values) {
    this.#view.notices.show(key, values);
  }
}
