// The tab's room on the server: opened when the class is first asked, followed from then on, told where
// the tab is, and opened anew under the same code after a restart of the server.

import { Emitter } from "../lib/emitter.js";
import { keptRoom } from "./kept.js";

const [OPEN, QUIET] = [1000, 5000]; // ms between looks at the room: while a question is open, else
const PLACE = 1000; // ms between looks at the address
const [base] = new URL(import.meta.url).pathname.split("/assets/");

/** An answer of the server that is none of ours to go on with. */
class Refused extends Error {
  constructor(status, said) {
    super(said?.message ?? String(status));
    this.status = status;
  }
}

/** Emits "state" when the room is another, and "recovered" with {lost, code} after a restart. */
class RoomLink extends Emitter {
  code = null;
  ballot = null; // the ballot's address within the server
  hint = null; // the machine's own host and port, where the page was opened as localhost
  phones = 0;
  /** The question as the room has it; null where there is none. */
  question = null;
  /** Why there is no room: null, "offline" (no answer), "refused". */
  trouble = null;
  #server = null;
  #tag = null;
  #timer = null;
  #told = null; // the place that the room was told of
  #placing = null;
  #recovering = null;

  constructor() {
    super();
    const kept = keptRoom.get();
    if (!kept) return;
    Object.assign(this, { code: kept.code, ballot: kept.ballot, hint: kept.hint, question: kept.question });
    this.#server = kept.server;
    this.#begin();
  }

  /** The absolute address that a phone opens. */
  get address() {
    return this.ballot && this.#origin + (base && !this.ballot.startsWith(`${base}/`) ? base : "") + this.ballot;
  }

  /** The address to which a code is typed. */
  get typed() {
    const { host, pathname } = new URL(this.address);
    return host + pathname.replace(/\/[^/]*$/, "");
  }

  get #origin() {
    const page = new URL(location.origin);
    if (this.hint) page.host = this.hint;
    return page.origin;
  }

  /** What phones must know where the page was opened by the machine's own name: null: nothing to know,
   * "hinted": the machine has another address, "local": it is on no network. */
  get reach() {
    if (!/^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname)) return null;
    return this.hint ? "hinted" : "local";
  }

  /** Ask a question; a room is opened for it where there is none. Returns its number; null: nobody can vote. */
  async ask({ text, answers }) {
    await this.#try(async () => {
      if (this.code === null) await this.#open();
      try {
        this.#take(await this.#call("POST", "/ask", { text, answers }));
      } catch (error) {
        if (error.status !== 404) throw error;
        await this.#open(); // the server was restarted since
        this.#take(await this.#call("POST", "/ask", { text, answers }));
      }
    });
    return this.trouble === null ? this.question.id : null;
  }

  /** Do something with the question: "again", "close", "reopen", "reveal", "hands", "happened". */
  async act(name, body = {}) {
    if (this.code === null) return;
    await this.#try(async () => this.#take(await this.#call("POST", `/${name}`, body)));
  }

  /**
   * The question is no longer of interest; the room stays. Phones wait for the next one, or keep what happened.
   * @param keeps whether they do, though the server may not have said yet that it has heard it
   */
  async drop(keeps = false) {
    const { question } = this;
    // First of all: a server that was restarted since is not to be asked it again.
    this.question = null;
    this.#keep();
    const told = question?.status === "revealed" && question.happened;
    if (question && !keeps && !told) await this.act("drop");
  }

  async #open() {
    const opened = await this.#call("POST", "", this.code ? { code: this.code } : {});
    Object.assign(this, { code: opened.code, ballot: opened.ballot, hint: opened.host_hint ?? null });
    this.#server = opened.server;
    this.#tag = this.#told = null;
    this.#keep();
    this.#begin();
  }

  async #try(work) {
    try {
      await work();
      this.trouble = null;
    } catch (error) {
      if (!(error instanceof Refused || error instanceof TypeError)) throw error; // ours to mend
      if (error.status === 404 && this.code !== null) return this.#recover();
      this.trouble = error instanceof Refused ? "refused" : "offline";
    }
    this.emit("state");
  }

  /** @throws Refused where the server says no; TypeError where it does not answer */
  async #call(method, path, body) {
    const room = path || method !== "POST" ? `/${this.code}` : "";
    const answer = await fetch(`${base}/room${room}${path}`, {
      method, headers: this.#headers(method, body), body: body && JSON.stringify(body), cache: "no-store",
    });
    if (answer.status === 304) return null;
    const said = await answer.json().catch(() => null);
    if (!answer.ok) throw new Refused(answer.status, said);
    if (method === "GET") this.#tag = answer.headers.get("ETag");
    return said;
  }

  #headers(method, body) {
    if (body) return { "Content-Type": "application/json" };
    return method === "GET" && this.#tag ? { "If-None-Match": this.#tag } : {};
  }

  /** Take over what the room is like now. */
  #take(state) {
    if (!state) return;
    if (this.#server !== null && state.server !== this.#server) throw new Refused(404);
    this.phones = state.phones ?? 0;
    this.question = state.question ?? null;
    this.#keep();
    this.emit("state");
  }

  #keep() {
    const { code, ballot, hint, question } = this;
    keptRoom.set({ code, server: this.#server, ballot, hint, question });
  }

  /** The server has no such room any more: open it anew, ask again what was open, say what was lost. */
  #recover() {
    this.#recovering ??= (async () => {
      const before = this.question;
      try {
        await this.#open();
        const asks = before && before.status !== "revealed";
        if (asks) this.#take(await this.#call("POST", "/ask", { text: before.text, answers: before.answers }));
        this.trouble = null;
        this.emit("recovered", { lost: asks ? before.answered : 0, asked: asks ? this.question.id : null, code: this.code });
      } catch (error) {
        if (!(error instanceof Refused || error instanceof TypeError)) throw error;
        this.trouble = "offline";
      }
      this.#recovering = null;
      this.emit("state");
    })();
    return this.#recovering;
  }

  /** Follow the room, and tell it where this tab goes. */
  #begin() {
    clearTimeout(this.#timer);
    clearInterval(this.#placing);
    const look = async () => {
      await this.#try(async () => this.#take(await this.#call("GET", "")));
      clearTimeout(this.#timer);
      this.#timer = setTimeout(look, this.question?.status === "open" ? OPEN : QUIET);
    };
    this.#timer = setTimeout(look, OPEN);
    this.#placing = setInterval(() => this.#place(), PLACE);
    this.#place();
  }

  async #place() {
    const address = location.pathname.slice(base.length) + location.search;
    // Not every page names its run in its address, and phones that follow are to watch that one.
    const run = document.querySelector("[data-testid='live-view'][data-run]")?.dataset.run || undefined;
    const place = `${address} ${run}`;
    if (window.top !== window || place === this.#told) return;
    this.#told = place;
    try {
      await this.#call("PUT", "/place", { address, run });
    } catch {
      this.#told = null; // said again by and by
    }
  }
}

let room = null;

/** The room of this tab; it outlives the views that ask. */
export function theRoom() {
  return (room ??= new RoomLink());
}
