// Ask the class: a question is put, phones vote, the run or the map answers. One person alone guesses for
// themselves.

import { button, setHidden } from "../lib/dom.js";
import { returnFocusTo } from "../lib/keyboard_focus.js";
import { Asked } from "./asked.js";
import { COMPOSING, openComposer } from "./composer.js";
import { OpenLayer } from "./open_layer.js";
import { Panel } from "./panel.js";
import { theRoom } from "./room_link.js";
import { Voting } from "./voting.js";

export class AskTheClass {
  #view;
  #about;
  #room = theRoom();
  #voting;
  #asked = null;
  #id = null; // what was asked about
  #before = null; // what had the focus
  #waits = ""; // what the panel says is waited for
  #composing = false; // a question is being chosen
  #undo = [];

  /**
   * @param view the page as the class's parts need it: {id, root, t, data: {base, dark, talk, norms: names,
   *   labels: by norm, colours: {line, text} by norm}}
   * @param about what is asked about: see about_run.js
   */
  constructor(view, about) {
    const { t } = view;
    this.#view = view;
    this.#about = about;
    this.button = button(t("class.button"), (event) => this.begin(event), { className: "bnviz-pill class-ask", title: t("class.button_help") });
    this.button.dataset.control = "ask";
    this.button.setAttribute("aria-keyshortcuts", "a");
    this.panel = new Panel(view, about, {
      guess: (place) => this.#guess(place), show: () => this.#showLayer(), reopen: () => this.#room.act("reopen"), reveal: () => this.#voting.reveal(this.#asked),
      ask_again: () => this.#compose(), close: () => this.#cancel(),
    });
    this.element = this.panel.element;
    this.layer = new OpenLayer(view, about, {
      guess: (place) => this.#guess(place), count: (counts) => this.#voting.count(this.#asked, counts), close: () => this.#voting.close(this.#asked),
      reopen: () => this.#room.act("reopen"), reveal: () => this.#voting.reveal(this.#asked), vote_again: () => this.#voting.again(this.#asked),
      run: () => this.#play(), cancel: () => this.#cancel(),
    });
    this.#voting = new Voting(this.#room, () => this.layer.typedHands, () => this.#changed());
    this.layer.element.addEventListener("close", () => this.#returnFocus());
    this.#undo.push(this.#room.on("state", () => this.#heard()), this.#room.on("recovered", (what) => this.#recovered(what)));
  }

  get #may() {
    return this.#about.may && this.#view.root.contains(this.button);
  }

  /** A button, or a key: to the question that is open, or whose votes were not shown yet, else to a new one. @returns whether it may */
  begin(event = null) {
    if (!this.#may || document.querySelector("dialog[open]")) return false;
    // Who clicked goes on with the keys of the page: there space plays.
    this.#before = event?.detail ? document.body : document.activeElement;
    if (this.#asked && !this.#asked.alone && (!this.#asked.going || this.#asked.unseen)) this.#showLayer();
    else this.#compose(this.#answered ? null : undefined);
    return true;
  }

  /** Whether the last question is answered, or what is seen answers it: then it is not offered first. */
  get #answered() {
    return Boolean(this.#asked && (this.#asked.happened || !this.#about.open(this.#asked.question)));
  }

  #compose(last = this.#asked?.question) {
    this.#before ??= document.activeElement;
    const wasGoing = this.#about.stop();
    let asks = false;
    const ask = (question) => {
      asks = true;
      this.#ask(this.#about.begin(question), wasGoing);
    };
    this.#composing = true;
    this.#show();
    openComposer(this.#view, this.#about, ask, last, this.#asked?.happened ? this.#asked.question : null).addEventListener("close", () => {
      this.#composing = false;
      if (!asks) this.#about.goBack(wasGoing);
      this.#show();
      this.#returnFocus();
    });
  }

  async #ask(question, wasGoing) {
    this.#asked = Object.assign(new this.#about.Asked(question), { wasGoing, stations: this.#about.stations(question) });
    this.#follow(this.#about.now());
    this.#showLayer();
    const asked = this.#asked;
    asked.number = await this.#room.ask(question);
    if (asked === this.#asked) this.#heard();
    else if (!this.#asked) this.#room.drop(); // cancelled on its way
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
    // Not from a knob that has been taken hold of meanwhile.
    if (before === document.body) document.activeElement.closest("button")?.blur();
    else returnFocusTo(before?.isConnected ? before : this.button);
  }

  #guess(place) {
    const asked = this.#asked;
    asked.guess = asked.guess === place ? null : place;
    // A page that opens with a question waits for nothing else.
    if (asked.alone && asked.guess !== null) {
      asked.start();
      this.#about.go();
    }
    this.#changed();
  }

  /** The page's own play: Run where a class thinks; an open vote it closes first, as a clicker does. @returns whether one thinks */
  play() {
    if (!this.thinks) return false;
    if (this.#voting.open(this.#asked)) this.#voting.close(this.#asked);
    else this.#play();
    return true;
  }

  #play() {
    this.#voting.end(this.#asked);
    this.#asked.start();
    this.layer.close();
    this.#about.go(this.#asked.question);
    this.#show();
  }

  #cancel() {
    const { wasGoing, started, going, votes } = this.#asked;
    // What was answered took its time: nobody waits any more for what was going before.
    if (!started && !going) this.#about.goBack(wasGoing && votes.answered === 0);
    this.#end();
    this.#returnFocus();
  }

  /** The question is over, for the phones as well. */
  #end() {
    if (!this.#asked) return;
    const { number, votes, happened } = this.#asked;
    // Another tab may have asked something else since.
    if (number !== null && number === this.#room.question?.id) this.#room.drop(votes.status === "revealed" && happened !== null);
    this.#asked = null;
    Asked.forget();
    this.layer.close();
    this.#show();
  }

  /** Its station was left: what is done there is for the next one to say. */
  #leave() {
    this.#about.takeBack();
    this.#end();
  }

  /** What happened is of a run that no longer stands there: it goes, but not with votes that nobody was shown yet. */
  #outlive() {
    this.#asked.former = true;
    if (this.#asked.unseen === 0) this.#end();
    else this.#changed();
  }

  /** A presenter goes on: to what comes next for the vote. @returns whether there is anything */
  goOn() {
    const asks = this.#asked && !this.#asked.alone && this.#room.trouble === null;
    if (!this.#may || !asks) return false;
    if (this.layer.typedHands) this.#showLayer(); // what is typed is counted in sight
    return this.layer.goOn();
  }

  /**
   * Answers are not lost by the way: those that nobody was shown yet have to be, or to be thrown away; that what was
   * asked is not decided yet is said once. @returns whether a talk's station has to wait for that
   */
  holds(number) {
    const asked = this.#asked;
    if (!asked?.loses(number) || (!asked.unseen && (asked.happened || asked.warned))) return false;
    if (asked.unseen) {
      this.#showLayer();
      this.layer.say(this.#view.t("class.layer.unseen"));
    } else {
      asked.warned = true;
      this.#about.notice("class.panel.leaving", {});
    }
    return true;
  }

  /** The step at which the answer is known, where a class waits for it and a talk's station would leave it; else null. */
  awaited(number) {
    const asked = this.#asked;
    return asked?.loses(number) && asked.going && !asked.happened ? this.#about.awaited(asked) : null;
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
    const { t } = this.#view;
    if (this.#asked && asked !== null) this.#asked.number = asked;
    const key = `class.layer.${asked === null ? "lost_none" : lost === 1 ? "lost_one" : "lost"}`;
    if (this.layer.open) this.layer.say(t(key, { lost, code }));
    else this.#about.notice(key, { lost, code });
    this.#heard();
  }

  #changed() {
    this.#asked?.keep();
    this.#show();
  }

  /** Whether a class is thinking. */
  get thinks() {
    const asked = this.#asked;
    return Boolean(asked && !asked.alone && !asked.started && !asked.going && asked.from);
  }

  #show() {
    const asked = this.#asked;
    this.#about.hold(this.#composing || this.thinks);
    this.#about.cover(this.#composing ? COMPOSING : asked && !asked.started && !asked.going ? asked.question : null);
    setHidden(this.button, !this.#about.may);
    this.panel.update(this.#asked, this.#room);
    if (this.#asked && !this.#asked.alone) this.layer.update(this.#asked, this.#room);
  }

  /** New words from the page: another run, perhaps one that opens with a question. */
  update() {
    const about = this.#about;
    const another = this.#id !== about.id;
    this.#id = about.id;
    if (another) this.#asked ??= about.resumes ? about.Asked.kept() : null;
    if (this.#asked && about.left(this.#asked)) this.#leave();
    if (another) {
      const asked = this.#asked;
      // A question that a page brought belongs to that page's run, and so does what came of one.
      if (asked && !asked.isOf(about.id)) {
        if (asked.alone) this.#end();
        else if (asked.happened && !asked.former) this.#outlive();
      }
      const opening = this.#asked ? null : about.opening();
      if (opening) this.#asked = Object.assign(new about.Asked(opening, { alone: true }), { stations: about.stations(opening) });
    }
    this.#show();
  }

  /** @param now how the run, or the map, stands: see `about.now` */
  draw(now) {
    if (this.#asked) this.#follow(now);
    if (this.#asked) this.#decide(now);
  }

  #follow(now) {
    const asked = this.#asked;
    const changed = now && asked.follow(now);
    if (changed && asked.former) return this.#outlive();
    if (asked.going) asked.wasGoing = false;
    const waits = asked.going && !asked.happened ? this.#about.waits(asked) : "";
    if (!changed && waits === this.#waits) return;
    this.#waits = waits;
    // What is voted once it goes on is no prediction.
    if (asked.going && !asked.alone && asked.votes.status === "open") this.#room.act("close");
    this.#changed();
  }

  #decide(now) {
    const told = this.#about.decide(this.#asked, now);
    if (!told) return;
    this.#asked.happened = told;
    if (!this.#asked.alone && this.#room.code !== null) this.#room.act("happened", told);
    this.#about.say(told.sentence);
    this.#changed();
  }

  destroy() {
    for (const undo of this.#undo) undo();
    for (const { discard } of [this.panel, this.layer]) discard.backOut();
    this.layer.close();
    this.layer.element.remove();
  }
}
