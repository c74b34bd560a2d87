// What a class is asked about, on the page of a map: how it stands still and goes on, which questions
// there are, what came of one. A run has the same (live/class/about_run.js).

import { joined } from "../live/class/asked.js";
import { setText } from "../live/lib/dom.js";
import { capitalize } from "../live/lib/texts.js";
import { AskedMap } from "./asked_map.js";
import { questionsFor, regions } from "./questions.js";

const OVER = new Set(["finished", "failed"]);

export class AboutMap {
  Asked = AskedMap;
  /** Whether what is drawn cannot be seen now. */
  covered = false;
  #view;
  #held = false;

  /** @param view the map */
  constructor(view) {
    this.#view = view;
  }

  /** The map's page as the parts of a class, its menu and its messages need one. */
  get page() {
    const view = this.#view;
    return {
      id: "map",
      get root() {
        return view.root;
      },
      get t() {
        return view.t;
      },
      get data() {
        const { base, dark, framed } = view.data;
        const by = (value) => Object.fromEntries(view.norms.map((norm) => [norm.name, value(norm)]));
        return {
          base, dark, talk: null, can_control: !framed, norms: view.norms.map(({ name }) => name),
          labels: by(({ label }) => label), colours: by(({ colour, ink }) => ({ line: colour, text: ink })),
        };
      },
      get question() {
        return view.question;
      },
      announcer: { say: (text) => setText(view.spoken, text) },
      act: (name) => view.act(name),
    };
  }

  /** What stands there now: another one, and what was asked may be over. */
  get id() {
    return this.#view.data.key;
  }

  /** Not of a page in a frame, nor of a map that could not be had. */
  get may() {
    const { framed, key } = this.#view.data;
    return !framed && Boolean(key);
  }

  get resumes() {
    return this.may;
  }

  questions(norm) {
    return questionsFor(this.#view, norm);
  }

  opening() {
    return null;
  }

  /** No talk is given on a map. */
  stations() {
    return null;
  }

  left() {
    return false;
  }

  /** A map that is drawn may be asked about as well: the class has not looked at all of it. */
  open() {
    return true;
  }

  /** When it is settled, and what of that can be seen already. */
  settles() {
    const { t, answer, model } = this.#view;
    const key = OVER.has(answer?.status) ? "drawn" : model.count ? "begun" : "settled";
    return t(`class.map.${key}`, { done: answer?.progress.done ?? 0 });
  }

  /** How the map stands. */
  now() {
    const { data, answer, model, wanted } = this.#view;
    const status = answer?.key === data.key ? answer.status : null;
    return { key: data.key, wanted, over: OVER.has(status), failed: status === "failed", norms: this.#view.norms.map(({ name }) => name), model };
  }

  /** @returns whether it was going */
  stop() {
    const going = this.#view.wanted && !OVER.has(this.#view.answer?.status);
    this.#view.want(false);
    return going;
  }

  begin(question) {
    return question;
  }

  /** No question is asked after all, or it is taken back. */
  goBack(wasGoing) {
    if (wasGoing) this.go();
  }

  go() {
    this.#view.want(true);
  }

  /** What the button that lets it go on says: a map that is drawn has nothing to go on with. */
  goes() {
    return this.#view.t(OVER.has(this.#view.answer?.status) ? "class.map.show" : "class.layer.run");
  }

  /** Nothing was moved on it that waits. */
  takeBack() {}

  /** While a class thinks nothing more is drawn, not even what others have had drawn of the same map. */
  hold(yes) {
    if (this.#held === yes) return;
    this.#held = yes;
    if (yes && this.#view.wanted) this.#view.want(false);
    this.#view.feed?.hold(yes);
  }

  /** What is drawn is covered where the answer to an open question could be read off it. */
  cover(question) {
    const yes = Boolean(question?.kind);
    if (this.covered === yes) return;
    this.covered = yes;
    const { root, planes } = this.#view;
    root.classList.toggle("bnviz-map-covered", yes);
    planes.element.inert = yes; // nor are its cells spoken
    this.#view.sayCell();
  }

  /** Another map stands there: it is held like the one before. */
  again() {
    this.#view.feed?.hold(this.#held);
  }

  get held() {
    return this.#held;
  }

  /** What came of a question: {answers, sentence}; null as long as that is open. */
  decide(asked, now) {
    const found = asked.decide(now);
    if (!found) return null;
    const [key, values] = found.said;
    return { answers: found.answers, sentence: joined([this.#view.t(`class.map.happened.${key}`, this.#words(asked.question, values))]) };
  }

  /** The numbers of a sentence, with their networks and knobs by name. */
  #words({ climb, row }, { reached, shares }) {
    const { model, norms, t, data } = this.#view;
    const list = new Intl.ListFormat(data.language, { type: "unit" });
    if (shares) return { shares: list.format(regions(this.#view).map((region, place) => t("class.map.happened.share_of", { region, share: shares[place] }))) };
    if (!reached) return {};
    const [axis, other] = climb === "across" ? [model.across, model.up] : [model.up, model.across];
    const each = ({ norm, value, end }) => t(`class.map.happened.${value === null ? "nowhere" : end ? "to_the_end" : "reached"}`, {
      label: norms.find(({ name }) => name === norm).label, value: value === null ? null : axis.write(value),
    });
    return { knob: axis.said, other: capitalize(other.said), value: row === null ? null : other.write(row), reached: list.format(reached.map(each)) };
  }

  /** What is waited for while the map is drawn. */
  waits({ question }) {
    return question.kind ? this.#view.t("class.map.waits") : "";
  }

  /** What came of a question, where another map stands there by now. */
  before(sentence) {
    return this.#view.t("class.map.before", { sentence });
  }

  /** Say it to who hears the page. */
  say(sentence) {
    setText(this.#view.spoken, sentence);
  }

  notice(key, values) {
    this.#view.notices.show(key, values);
  }
}
