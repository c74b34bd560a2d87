// How a vote goes on: phones give their answers in the room, or hands are typed. It is closed, shown, and
// taken once more. Hands that were typed, and not counted yet, count before what comes next.

export class Voting {
  #room;
  #typed;
  #counted;

  /**
   * @param room see room_link.js
   * @param typed gives the hands that were typed and not counted yet; null: none
   * @param counted called when votes were counted here, without the room
   */
  constructor(room, typed, counted) {
    this.#room = room;
    this.#typed = typed;
    this.#counted = counted;
  }

  /**
   * Show of hands: typed counts take the place of this round's ballots.
   * @param shown whether they are shown as well; without a room they are in any case
   */
  async count(asked, counts, shown = true) {
    if (this.#room.code !== null && !asked.alone) {
      await this.#room.act("hands", { counts });
      if (this.#room.trouble === null) return shown && this.#room.act("reveal");
    }
    const answered = counts.reduce((sum, count) => sum + count, 0);
    asked.votes = { ...asked.votes, status: "revealed", hands: true, answered, tally: counts, first: asked.firstHands };
    this.#counted();
  }

  /** Whether phones may still answer. */
  open({ alone, number, votes }) {
    return !alone && number !== null && votes.status === "open";
  }

  close(asked) {
    const hands = this.#typed();
    return hands ? this.count(asked, hands, false) : this.#room.act("close");
  }

  reveal(asked) {
    const hands = this.#typed();
    return hands ? this.count(asked, hands) : this.#room.act("reveal");
  }

  async again(asked) {
    const hands = this.#typed();
    if (hands) await this.count(asked, hands, false);
    if (this.#room.code !== null) return this.#room.act("again");
    asked.firstHands = asked.votes.tally;
    asked.votes = { ...asked.votes, status: "open", round: 2, answered: 0, tally: null, first: null };
    this.#counted();
  }

  /** It goes on: what is answered from now on is no prediction. */
  end(asked) {
    const hands = this.#typed();
    if (hands) this.count(asked, hands);
    else if (asked.votes.status === "open") this.#room.act("close");
  }
}
