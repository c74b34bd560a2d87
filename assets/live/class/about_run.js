// What a class is asked about, on a page with a run: how it stands still and goes on, which questions
// there are, what came of one. A map has the same (map/about_map.js).

import { joined } from "./asked.js";
import { AskedRun } from "./asked_run.js";
import { firstQuestion, givenQuestion, questionsFor } from "./questions.js";

const OF_BREAKS = new Set(["breaks", "first"]);

export class AboutRun {
  Asked = AskedRun;
  #view;
  #replays = false; // what was played of the past is held while a question is chosen

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
  settles(question) {
    const { kind, network, networks, steps } = question;
    const { data, t } = this.#view;
    const breaks = this.#seen();
    const broke = kind === "layer" && breaks[network];
    if (broke) return t(this.#covers(question) ? "class.composer.kept" : "class.composer.settled", { step: broke.step });
    const after = steps ? t("class.composer.steps", { steps }) : "";
    if (!OF_BREAKS.has(kind)) return after;
    const before = networks.filter((norm) => norm && breaks[norm]).map((norm) =>
      t("class.composer.broken", { label: data.labels[norm] ?? norm, step: breaks[norm].step }));
    return joined([...before, after].filter(Boolean));
  }

  /** Whether nothing that is seen already answers a question: a network that it asks about has broken. */
  open(question) {
    const { kind, network, networks } = question;
    const breaks = this.#seen();
    if (kind === "layer") return !breaks[network] || this.#covers(question);
    return !OF_BREAKS.has(kind) || !networks.some((norm) => norm && breaks[norm]);
  }

  /** The breaks up to the step shown. */
  #seen() {
    const { store, time } = this.#view;
    const until = time?.rewound ? (this.now()?.step ?? 0) : Infinity;
    return Object.fromEntries(Object.entries(store.breaks).filter(([, broke]) => broke?.step <= until));
  }

  /** Whether the answer is kept from the page as long as the station stands that asks: see lib/headline.js. */
  #covers({ id, kind }) {
    return id === "given" && kind === "layer" && Boolean(this.#view.data.talk);
  }

  /** How the run stands; null before the first frame. */
  now() {
    return this.#view.scene();
  }

  /** The run stands, and what is played of its past. @returns whether the run was going */
  stop() {
    const { time, transport } = this.#view;
    const { playing } = transport;
    this.#replays = time.replays === true && time.hold();
    if (playing) this.#view.act("pause");
    return playing;
  }

  /** What is asked is asked of the step shown: what came after a past one counts. @returns the question as it is asked */
  begin(question) {
    const { rewound, step } = this.now() ?? {};
    const since = question.since ?? (rewound && question.kind ? step : null);
    return { ...question, since };
  }

  /** No question is asked after all, or it is taken back: what was going goes on, and is looked at where it was. */
  goBack(wasGoing) {
    const { time, transport } = this.#view;
    if (!wasGoing) this.takeBack();
    else if (!transport.playing) this.#view.act("play", { stayRewound: true });
    if (this.#replays && time.replays === false) time.hold();
    this.#replays = false;
  }

  /** @param question whose knobs are set as it takes them to be; null: all stay where they are */
  go(question = null) {
    // What a station's question takes for granted is done by the next one, at the step that it is about.
    if (this.#walks(question)) return this.#view.talk.walk(1);
    for (const [knob, value] of this.#lacks(question)) this.#view.link.setKnob(knob, value);
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
