// Ask the class: a teacher asks a question, students vote on their phones, and the run or the map shows the answer.
// Without a class, a reader guesses alone. `AskTheClass` holds the open question and the state of the vote, and updates
// the dialogs and the panel.

import { button, setHidden } from "../live/lib/dom.js";
import { returnFocusTo } from "../live/lib/keyboard_focus.js";
import { AskedQuestion, stationsOf } from "./asked_question.js";
import { Composer, COMPOSING } from "./composer.js";
import { theRoom } from "./room_link.js";
import { VoteDialog } from "./vote_dialog.js";
import { VotePanel } from "./vote_panel.js";

export class AskTheClass {
  #view;
  #subject;
  #room = theRoom();
  #asked = null;
  #subjectId = null; // id of the run or map at the last update
  #before = null; // element that had the focus before the dialog was opened
  #waiting = ""; // text in the panel that says what must happen before the outcome is known
  #composing = false; // whether the teacher is choosing a question
  #undo;

  /**
   * @param view the parts of the page that this class needs: {id, root, t, announcer, notices, data: {base, dark, talk,
   *   norms: names, labels: by norm, colours: {line, text} by norm, class_address}}
   * @param subject subject of the questions: a `QuestionedRun` or a `QuestionedMap`
   */
  constructor(view, subject) {
    const { t } = view;
    this.#room.here = view.data.class_address ?? null;
    this.#view = view;
    this.#subject = subject;
    this.button = button(t("class.button"), (event) => this.begin(event), {
      className: "bnviz-pill class-ask", title: t("class.button_help"), "data-control": "ask", "aria-keyshortcuts": "a",
    });
    const does = {
      guess: (guess) => this.#guess(guess), count: (counts) => this.#count(counts), show: () => this.#openDialog(),
      close: () => this.#goTo("close"), reopen: () => this.#room.act("reopen"), reveal: () => this.#goTo("reveal"),
      vote_again: () => this.#voteAgain(), run: () => this.#run(), ask_again: () => this.#compose(), cancel: () => this.#cancel(),
    };
    this.panel = new VotePanel(view, subject, does);
    this.element = this.panel.element;
    this.dialog = new VoteDialog(view, subject, does);
    this.dialog.element.addEventListener("close", () => this.#returnFocus());
    this.#undo = [this.#room.on("state", () => this.#takeVotes()), this.#room.on("gone", () => this.#tellGone())];
  }

  /** The question put to the class. It is null if there is no question, or if only this reader was asked. */
  get #ofClass() {
    return this.#asked?.alone ? null : this.#asked;
  }

  get #canAsk() {
    return this.#subject.canAsk && this.#view.root.contains(this.button);
  }

  /**
   * Show the current question if the run has not continued since it was asked, or if it has votes that were not shown.
   * Otherwise let the teacher choose a question.
   *
   * @param event the button's click event, or null if a key was pressed
   * @returns whether this reader may ask now
   */
  begin(event = null) {
    if (!this.#canAsk || this.#subject.isAway || document.querySelector("dialog[open]")) return false;
    // After a click, return the focus to the page, so that the space bar plays and pauses the run.
    this.#before = event?.detail ? document.body : document.activeElement;
    const asked = this.#asked;
    if (this.#ofClass && (!asked.going || asked.unseen)) this.#openDialog();
    // Do not preselect a question whose answer is already known.
    else this.#compose(asked && !asked.happened && this.#subject.isUndecided(asked.question) ? asked.question : null);
    return true;
  }

  #compose(last = this.#asked?.question) {
    this.#before ??= document.activeElement;
    const wasGoing = this.#subject.pause();
    let chosen = false;
    const ask = (question) => {
      chosen = true;
      this.#ask(this.#subject.asAsked(question), wasGoing);
    };
    this.#composing = true;
    this.#show();
    const { box } = new Composer(this.#view, this.#subject, ask, last, this.#asked?.happened ? this.#asked.question : null);
    box.addEventListener("close", () => {
      this.#composing = false;
      if (!chosen) this.#subject.resume(wasGoing);
      this.#show();
      this.#returnFocus();
    });
  }

  async #ask(question, wasGoing) {
    const asked = new this.#subject.AskedQuestion(question, { wasGoing, stations: stationsOf(this.#view.data, question) });
    this.#asked = asked;
    this.#follow(this.#subject.state());
    this.#openDialog();
    asked.number = await this.#room.ask(question);
    if (asked === this.#asked) this.#takeVotes();
    else if (!this.#asked) this.#room.drop(); // the question was cancelled before the server replied
  }

  #openDialog() {
    this.#before ??= document.activeElement;
    this.#show();
    this.dialog.show();
  }

  #returnFocus() {
    if (this.dialog.open) return;
    const before = this.#before;
    this.#before = null;
    // If the reader has focused a knob in the meantime, keep the focus on the knob.
    if (before === document.body) document.activeElement.closest("button")?.blur();
    else returnFocusTo(before?.isConnected ? before : this.button);
  }

  /** Record a guess, or clear the guess if the reader chooses the same answer again. */
  #guess(guess) {
    const asked = this.#asked;
    asked.guess = asked.guess === guess ? null : guess;
    // A page that opens with a question plays as soon as the reader has guessed.
    if (asked.alone && asked.guess !== null) {
      asked.start();
      this.#subject.run();
    }
    this.#changed();
  }

  /**
   * Handle the play button while the class is voting: close the vote if it is open, otherwise continue the run.
   *
   * @returns whether the class was voting
   */
  play() {
    if (!this.thinks) return false;
    const { number, votes } = this.#asked;
    if (this.#room.code !== null && number !== null && votes.status === "open") this.#goTo("close");
    else this.#run();
    return true;
  }

  #run() {
    const hands = this.dialog.typedHands;
    if (hands) this.#count(hands);
    else if (this.#asked.votes.status === "open") this.#room.act("close");
    this.#asked.start();
    this.dialog.close();
    this.#subject.run(this.#asked.question);
    this.#show();
  }

  // Steps of the vote. Each step first submits the numbers of raised hands that the teacher has typed.

  /**
   * Record a show of hands, which replaces the phone votes of this round.
   *
   * @param reveal whether to show the result at once (if the server holds no room for the class, the result is always
   * shown)
   */
  async #count(counts, reveal = true) {
    const asked = this.#asked;
    if (this.#room.code !== null) {
      await this.#room.act("hands", { counts });
      if (this.#room.trouble === null) return reveal && this.#room.act("reveal");
    }
    const answered = counts.reduce((sum, count) => sum + count, 0);
    asked.votes = { ...asked.votes, status: "revealed", hands: true, answered, tally: counts };
    this.#changed();
  }

  /**
   * Do a step of the vote, after submitting the numbers of hands that the teacher has typed. @param step "close" or
   * "reveal"
   */
  #goTo(step) {
    const hands = this.dialog.typedHands;
    return hands ? this.#count(hands, step === "reveal") : this.#room.act(step);
  }

  async #voteAgain() {
    const asked = this.#asked;
    const hands = this.dialog.typedHands;
    if (hands) await this.#count(hands, false);
    if (this.#room.code !== null) return this.#room.act("again");
    asked.votes = { ...asked.votes, status: "open", round: 2, answered: 0, tally: null, first: asked.votes.tally };
    this.#changed();
  }

  #cancel() {
    const { wasGoing, started, going, votes } = this.#asked;
    // If there are votes, the run has probably been paused for a long time, so keep the run paused.
    if (!started && !going) this.#subject.resume(wasGoing && votes.answered === 0);
    this.#end();
    this.#returnFocus();
  }

  /** Withdraw the question from the page and from the phones. */
  #end() {
    if (!this.#asked) return;
    const { number, votes, happened } = this.#asked;
    // Since then, another tab may have asked the class another question.
    if (number === this.#room.question?.id) this.#room.drop(votes.status === "revealed" && happened !== null);
    this.#asked = null;
    AskedQuestion.forget();
    this.dialog.close();
    this.#show();
  }

  /**
   * Handle the replacement of the run that the question is about: withdraw the question unless it has votes that were
   * not shown.
   */
  #retire() {
    this.#asked.former = true;
    if (this.#asked.unseen === 0) this.#end();
    else this.#changed();
  }

  /**
   * Handle the "next" key of a presenter's clicker: press the button for the next step of the vote.
   *
   * @returns whether there was such a button
   */
  goOn() {
    if (!this.#canAsk || !this.#ofClass || this.#room.trouble !== null) return false;
    if (this.dialog.typedHands) this.#openDialog(); // so that the class sees the numbers of hands that are submitted
    return this.dialog.goOn();
  }

  /**
   * Return whether a talk must stay at its current stop because moving to the stop `station` would lose votes. Votes
   * that were not shown must first be shown or discarded. If the outcome of a question is pending, warn only once.
   */
  holds(station) {
    const asked = this.#asked;
    if (!asked?.isLostAt(station) || (!asked.unseen && (asked.happened || asked.warned || !asked.question.kind))) return false;
    if (asked.unseen) {
      this.#openDialog();
      this.dialog.say(this.#view.t("class.layer.unseen"));
    } else {
      asked.warned = true;
      this.#view.notices.show("class.panel.leaving");
    }
    return true;
  }

  /**
   * Return the step at which the pending outcome is decided if moving to the talk's stop `station` would lose the
   * outcome. Otherwise return null.
   */
  awaited(station) {
    const asked = this.#asked;
    return asked?.isLostAt(station) && asked.going && !asked.happened ? this.#subject.decidedAt(asked) : null;
  }

  /** Copy the votes on the current question from the state of the class's room. */
  #takeVotes() {
    const { question } = this.#room;
    if (question && question.id === this.#asked?.number) this.#asked.votes = question;
    this.#changed();
  }

  #tellGone() {
    if (this.#ofClass && !this.dialog.open) this.#view.notices.show("class.layer.gone");
  }

  #changed() {
    this.#asked?.keep();
    this.#show();
  }

  /** Whether the class has been asked and the run or map has not continued since then. */
  get thinks() {
    const asked = this.#ofClass;
    return Boolean(asked && !asked.started && !asked.going && asked.from);
  }

  #show() {
    const asked = this.#asked;
    this.#subject.holdChanges(this.#composing || this.thinks);
    this.#subject.cover(this.#composing ? COMPOSING : asked && !asked.started && !asked.going ? asked.question : null);
    setHidden(this.button, !this.#subject.canAsk);
    this.panel.update(asked, this.#room);
    if (this.#ofClass) this.dialog.update(asked, this.#room);
  }

  /**
   * Handle new page data. The data may belong to another run or map, or they may contain a question with which the page
   * opens.
   */
  update() {
    const subject = this.#subject;
    const { data } = this.#view;
    const another = this.#subjectId !== subject.id;
    this.#subjectId = subject.id;
    // A live view that is embedded in a page, such as a lesson, does not restore the question stored by this tab.
    if (another) this.#asked ??= subject.canAsk && !data.block ? subject.AskedQuestion.kept() : null;
    if (this.#asked?.hasLeft(data.talk?.number)) {
      subject.discardChanges(); // the next stop of the talk sets the knobs itself
      this.#end();
    }
    if (another) {
      const asked = this.#asked;
      // The question with which the page opened, and an outcome that is already known, belong to the previous run.
      if (asked && !asked.isOf(subject.id)) {
        if (asked.alone) this.#end();
        else if (asked.happened && !asked.former) this.#retire();
      }
      if (!this.#asked && data.paused_question) {
        const opening = subject.openingQuestion();
        this.#asked = new subject.AskedQuestion(opening, { alone: true, stations: stationsOf(data, opening) });
      }
    }
    this.#show();
  }

  /**
   * Follow the run or the map, and check whether it has answered the question. @param state see `state()` of the
   * subject
   */
  draw(state) {
    if (this.#asked) this.#follow(state);
    if (this.#asked) this.#decide(state);
  }

  #follow(state) {
    const asked = this.#asked;
    const changed = state && asked.follow(state);
    if (changed && asked.former) return this.#retire();
    if (asked.going) asked.wasGoing = false;
    const waiting = asked.going && !asked.happened ? this.#subject.waitingText(asked) : "";
    if (!changed && waiting === this.#waiting) return;
    this.#waiting = waiting;
    // A vote that is cast after the run has continued is not a prediction, so close the vote.
    if (asked.going && this.#ofClass && asked.votes.status === "open") this.#room.act("close");
    this.#changed();
  }

  #decide(state) {
    const outcome = this.#subject.outcomeOf(this.#asked, state);
    if (!outcome) return;
    this.#asked.happened = outcome;
    if (this.#ofClass) this.#room.act("happened", outcome);
    this.#view.announcer.say(outcome.sentence);
    this.#changed();
  }

  destroy() {
    for (const undo of this.#undo) undo();
    for (const { discard } of [this.panel, this.dialog]) discard.backOut();
    this.dialog.close();
    this.dialog.element.remove();
  }
}
