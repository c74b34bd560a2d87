// Ask the class: a question is put, phones vote, the run answers. One person alone guesses for themselves.

import { button, setHidden } from "../lib/dom.js";
import { Asked, sentence } from "./asked.js";
import { openComposer } from "./composer.js";
import { OpenLayer } from "./open_layer.js";
import { Panel } from "./panel.js";
import { firstQuestion, givenQuestion } from "./questions.js";
import { theRoom } from "./room_link.js";

export class AskTheClass {
  #view;
  #room = theRoom();
  #asked = null;
  #run = null;
  #before = null; // what had the focus
  #undo = [];

  constructor(view) {
    const { t } = view;
    this.#view = view;
    this.button = button(t("class.button"), (event) => this.begin(event), { className: "bnviz-pill class-ask", title: t("class.button_help") });
    this.button.dataset.control = "ask";
    this.button.setAttribute("aria-keyshortcuts", "a");
    this.panel = new Panel(view, {
      guess: (place) => this.#guess(place), show: () => this.#showLayer(), reveal: () => this.#reveal(),
      ask_again: () => this.#compose(), close: () => this.#forget(),
    });
    this.element = this.panel.element;
    this.layer = new OpenLayer(view, {
      guess: (place) => this.#guess(place), count: (counts) => this.#count(counts), close: () => this.#act("close"),
      reveal: () => this.#reveal(), vote_again: () => this.#again(), run: () => this.#play(), cancel: () => this.#cancel(),
    });
    this.layer.element.addEventListener("close", () => this.#returnFocus());
    this.#undo.push(this.#room.on("state", () => this.#heard()), this.#room.on("recovered", (what) => this.#recovered(what)));
  }

  /** Only one's own run can be asked about: it is paused for it. */
  get #may() {
    const { data, root } = this.#view;
    return data.can_control && root.contains(this.button);
  }

  /** A button, or a key: to the question that is open, else to a new one. @returns whether it may */
  begin(event = null) {
    if (!this.#may || document.querySelector("dialog[open]")) return false;
    // Who clicked goes on with the keys of the page: there space plays.
    this.#before = event?.detail ? document.body : document.activeElement;
    if (this.#asked && !this.#asked.alone && !this.#asked.going) this.#showLayer();
    else this.#compose();
    return true;
  }

  #compose() {
    this.#before ??= document.activeElement;
    openComposer(this.#view, (question) => this.#ask(question), this.#asked?.question).addEventListener("close", () => this.#returnFocus());
  }

  async #ask(question) {
    const { transport } = this.#view;
    this.#view.time.live(); // what is asked is asked of the step where the run stands
    this.#asked = new Asked(question);
    if (transport.playing) this.#view.act("pause");
    this.#follow(this.#view.scene());
    this.#showLayer();
    const asked = this.#asked;
    asked.number = await this.#room.ask(question);
    if (asked === this.#asked) this.#heard();
  }

  #showLayer() {
    this.#before ??= document.activeElement;
    this.#show();
    this.layer.show();
  }

  #returnFocus() {
    if (this.layer.open) return;
    const before = this.#before;
    this.#before = null;
    if (before === document.body) document.activeElement.blur();
    else (before?.isConnected ? before : this.button).focus();
  }

  #guess(place) {
    const asked = this.#asked;
    asked.guess = asked.guess === place ? null : place;
    // A page that opens with a question waits for nothing else.
    if (asked.alone && asked.guess !== null) {
      asked.start();
      if (!this.#view.transport.playing) this.#view.act("play");
    }
    this.#changed();
  }

  /** Show of hands: typed counts take the place of this round's ballots, and are shown. */
  async #count(counts) {
    const { votes, alone } = this.#asked;
    if (this.#room.code !== null && !alone) {
      await this.#room.act("hands", { counts });
      if (this.#room.trouble === null) return this.#reveal();
    }
    const answered = counts.reduce((sum, count) => sum + count, 0);
    this.#asked.votes = { ...votes, status: "revealed", hands: true, answered, tally: counts, first: this.#asked.firstHands };
    this.#changed();
  }

  #act(name) {
    return this.#room.act(name);
  }

  #reveal() {
    return this.#act("reveal");
  }

  #again() {
    const { votes } = this.#asked;
    if (this.#room.code !== null) return this.#act("again");
    this.#asked.firstHands = votes.tally;
    this.#asked.votes = { ...votes, status: "open", round: 2, answered: 0, tally: null, first: null };
    this.#changed();
  }

  #play() {
    const { transport } = this.#view;
    if (this.#asked.votes.status === "open") this.#act("close");
    this.#asked.start();
    this.layer.close();
    this.#view.link.hold(false);
    if (!transport.playing) this.#view.act("play");
  }

  #cancel() {
    this.layer.close();
    this.#forget();
  }

  #forget() {
    const { alone } = this.#asked ?? {};
    if (!alone) this.#room.drop();
    this.#asked = null;
    Asked.forget();
    this.#show();
    this.#returnFocus();
  }

  /** Something of the room is another. */
  #heard() {
    const asked = this.#asked;
    const { question } = this.#room;
    if (asked && !asked.alone && asked.number !== null && question?.id === asked.number) {
      const { status, round, answered, hands, tally, first } = question;
      asked.votes = { status, round, answered, hands, tally, first };
    }
    this.#changed();
  }

  /** The server was restarted, and the room opened anew. */
  #recovered({ lost, asked, code }) {
    const { t, notices } = this.#view;
    if (this.#asked && asked !== null) this.#asked.number = asked;
    const key = `class.layer.${asked === null ? "lost_none" : lost === 1 ? "lost_one" : "lost"}`;
    if (this.layer.open) this.layer.say(t(key, { lost, code }));
    else notices.show(key, { lost, code });
    this.#heard();
  }

  #changed() {
    this.#asked?.keep();
    this.#show();
  }

  #show() {
    // A knob that is moved while a class thinks acts when the run goes on, not before.
    const asked = this.#asked;
    this.#view.link?.hold(Boolean(asked && !asked.alone && !asked.going && asked.from));
    setHidden(this.button, !this.#view.data.can_control);
    this.panel.update(this.#asked, this.#room);
    if (this.#asked && !this.#asked.alone) this.layer.update(this.#asked, this.#room);
  }

  /** New words from the page: another run, perhaps one that opens with a question. */
  update() {
    const { data } = this.#view;
    if (this.#run !== data.run) {
      this.#run = data.run;
      const kept = this.#asked ?? (data.can_control && !data.block ? Asked.kept() : null);
      // A question that a page brought belongs to that page's run.
      const over = kept && (kept.alone || kept.happened) && kept.from?.run !== data.run;
      this.#asked = over ? null : kept;
      if (over) Asked.forget(); // what came of it was said of that run
      if (data.paused_question && !this.#asked) {
        const own = data.talk ? givenQuestion(data, this.#view.t) : null; // a station asks its own
        this.#asked = new Asked(own ?? firstQuestion(data, this.#view.t), { alone: true });
      }
    }
    this.#show();
  }

  draw(scene) {
    if (!this.#asked) return;
    this.#follow(scene);
    this.#decide(scene);
  }

  #follow(scene) {
    const asked = this.#asked;
    if (!scene || !asked.follow(scene)) return;
    // What is voted once the run goes on is no prediction.
    if (asked.going && !asked.alone && asked.votes.status === "open") this.#act("close");
    this.#changed();
  }

  #decide(scene) {
    const { data, t, announcer } = this.#view;
    const found = this.#asked.decide(scene, data.chance);
    const told = found ? { answers: found.answers, sentence: sentence(t, data.labels, found) } : this.#toldByPage();
    if (!told) return;
    this.#asked.happened = told;
    if (!this.#asked.alone && this.#room.code !== null) this.#room.act("happened", this.#asked.happened);
    announcer.say(told.sentence);
    this.#changed();
  }

  /** What a lesson says of its own question when its run has come to its end. */
  #toldByPage() {
    const { question, happened, going, from } = this.#asked;
    const given = this.#view.data.question;
    const same = question.id === "given" && given?.text === question.text && given.run === from?.run;
    return same && going && !happened ? (given.happened ?? null) : null;
  }

  destroy() {
    for (const undo of this.#undo) undo();
    this.layer.close();
    this.layer.element.remove();
  }
}
