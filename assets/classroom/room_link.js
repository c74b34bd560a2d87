// The connection between this tab and the room that the server keeps for its class. The first question opens the room,
// and the tab then polls the room's state. The tab also tells the server which page it shows, for phones that follow
// it.

import { Emitter } from "../live/lib/emitter.js";
import { readFromTab, storeInTab } from "../live/lib/storage.js";

// key under which the tab stores the room, so that it survives a reload; page_links.js also uses it
const KEPT = "bnviz-room";
// names of the fields of the room that the tab stores
const FIELDS = ["code", "lost", "ballot", "question", "withdrawn"];
const [OPEN, QUIET] = [1000, 5000]; // polling interval in ms while a vote is open, and at other times
const GONE = new Set([403, 404]); // HTTP statuses of a room that has ended, or that belongs to another browser
const PAGE = 1000; // interval in ms between checks of the page's address
const [base] = new URL(import.meta.url).pathname.split("/assets/");

/** Return an error that carries the HTTP status of a refused request. */
function refused(status) {
  return Object.assign(new Error(`HTTP ${status}`), { status });
}

/**
 * The tab's connection to its class's room on the server. It emits "state" when the room has changed, and "gone" when
 * the server no longer has the room.
 */
class RoomLink extends Emitter {
  code = null;
  // Code of a room that the server does not have now. A server that could not read its saved state, and is then started
  // again, may have it once more.
  lost = null;
  ballot = null; // path of the voting page on the server
  // {hosts}: the addresses under which phones reach this machine, if the page was opened as localhost; otherwise null
  here = null;
  phones = 0;
  /** The room's current question, or null if there is none or this tab has withdrawn it. */
  question = null;
  /**
   * Reason why phones cannot vote: "offline" (the server does not respond), "refused" (it opened no room) or "gone" (it
   * no longer has the room). It is null if there is no problem.
   */
  trouble = null;
  // Number of the question that this tab withdrew last. Responses that were in flight still name this question, and so
  // does a room that keeps the outcome for phones that show it.
  withdrawn = null;
  #tag = null; // ETag of the latest response
  #timer = null;
  #sentPage = null; // page of this tab that was last sent to the server, as text
  #pageTimer = null;

  constructor() {
    super();
    const kept = readFromTab(KEPT);
    if (!kept) return;
    for (const name of FIELDS) if (name in kept) this[name] = kept[name];
    this.#begin();
  }

  /** The address of the voting page, which phones open. */
  get address() {
    return this.ballot && this.#forPhones.origin + (base && !this.ballot.startsWith(`${base}/`) ? base : "") + this.ballot;
  }

  /** Host and path of the page on which a code is typed. */
  get typed() {
    const { host, pathname } = new URL(this.address);
    return host + pathname.replace(/\/[^/]*$/, "");
  }

  /** Origin (protocol, host and port) at which phones reach the server. */
  get #forPhones() {
    const page = new URL(location.origin);
    const [host] = this.here?.hosts ?? [];
    if (host) page.hostname = host;
    return page;
  }

  /** Host and port at which phones reach the server. */
  get host() {
    return this.#forPhones.host;
  }

  /**
   * How phones reach this page. It is null if the page's own address works. On a page opened as localhost, it is
   * "hinted" if phones can use `host`, or "local" if the machine is not connected to a network.
   */
  get reach() {
    return this.here && (this.here.hosts.length ? "hinted" : "local");
  }

  /**
   * Ask a question. First open a room for the class if there is none or if the server has lost the room.
   * @param question a question with its text and answers, and with the phrases of the text and answers
   * @returns the question's number in the room, or null if phones cannot vote
   */
  async ask(question) {
    const request = requestOf(question);
    await this.#try(async () => {
      if (this.code === null) await this.#open();
      const asked = () => this.#call("POST", "/ask", request);
      this.#take(await asked().catch(async (error) => {
        if (error.status !== 404) throw error;
        await this.#open(); // the room has ended since the last request
        return asked();
      }));
    });
    return this.trouble === null ? this.question.id : null;
  }

  /** Send the server an action on the question: "again", "close", "reopen", "reveal", "hands", "happened" or "drop". */
  async act(name, body = {}) {
    if (this.code === null) return;
    await this.#try(async () => this.#take(await this.#call("POST", `/${name}`, body)));
  }

  /**
   * Withdraw the question but keep the class's room. Phones then wait for the next question. Phones that already show
   * the outcome keep it on their screens.
   *
   * @param shown whether the outcome was sent to the server, even if the server has not replied yet
   */
  async drop(shown = false) {
    const { question } = this;
    this.question = null;
    this.withdrawn = question?.id ?? this.withdrawn;
    this.#keep();
    const known = question?.status === "revealed" && question.happened;
    if (question && !shown && !known) await this.act("drop");
  }

  async #open() {
    const { code, ballot } = await this.#call("POST", "");
    // Question numbers start again in a new room, so forget the number of the withdrawn question.
    Object.assign(this, { code, ballot, lost: null, withdrawn: null });
    this.#tag = this.#sentPage = null;
    this.#keep();
    this.#begin();
  }

  async #try(work) {
    const { code, lost } = this;
    try {
      await work();
      this.trouble = null;
    } catch (error) {
      if (!error.status && !(error instanceof TypeError)) throw error; // a bug of this program
      const gone = GONE.has(error.status) && code === this.code && (code ?? lost) !== null;
      this.trouble = gone ? "gone" : error.status < 500 ? "refused" : "offline";
      if (gone && code !== null) this.#lose();
    }
    this.emit("state");
  }

  #lose() {
    Object.assign(this, { code: null, lost: this.code, question: null });
    this.#tag = this.#sentPage = null;
    this.#keep();
    this.emit("gone");
  }

  /**
   * Send a request to the server, and return its response, or null if nothing has changed.
   * @throws an error with a `status` if the server refused the request, or a TypeError if the server did not respond
   */
  async #call(method, path, body) {
    const room = path || method !== "POST" ? `/${this.code ?? this.lost}` : "";
    const headers = body ? { "Content-Type": "application/json" } : this.#tag ? { "If-None-Match": this.#tag } : {};
    const answer = await fetch(`${base}/room${room}${path}`, {
      method, headers, body: body && JSON.stringify(body), cache: "no-store",
    });
    if (answer.status === 304) return null;
    if (!answer.ok) throw refused(answer.status);
    if (method === "GET") this.#tag = answer.headers.get("ETag");
    return answer.json().catch(() => null);
  }

  /** Apply a response of the server; null means that nothing has changed. */
  #take(state) {
    if (!state) return;
    this.code ??= this.lost;
    this.lost = null;
    this.phones = state.phones ?? 0;
    this.question = state.question?.id === this.withdrawn ? null : state.question;
    this.#keep();
    this.emit("state");
  }

  #keep() {
    storeInTab(KEPT, Object.fromEntries(FIELDS.map((name) => [name, this[name]])));
  }

  /** Start to poll the room's state and to send the server the page that this tab shows. */
  #begin() {
    clearTimeout(this.#timer);
    clearInterval(this.#pageTimer);
    const look = async () => {
      await this.#try(async () => this.#take(await this.#call("GET", "")));
      clearTimeout(this.#timer);
      this.#timer = setTimeout(look, this.question?.status === "open" ? OPEN : QUIET);
    };
    this.#timer = setTimeout(look, OPEN);
    this.#pageTimer = setInterval(() => this.#sendPage(), PAGE);
    this.#sendPage();
  }

  async #sendPage() {
    const address = location.pathname.slice(base.length) + location.search;
    // Some pages do not have their run in the address, but phones that follow this tab must show the same run.
    const run = document.querySelector("[data-testid='live-view'][data-run]")?.dataset.run || undefined;
    const page = `${address} ${run}`;
    if (this.code === null || window.top !== window || page === this.#sentPage) return;
    this.#sentPage = page;
    try {
      await this.#call("PUT", "/place", { address, run });
    } catch {
      this.#sentPage = null; // so that the next interval sends the page again
    }
  }
}

/** Return the request body with which a question is asked: its texts and their phrases. */
export function requestOf({ text, answers, text_phrase, answer_phrases }) {
  return { text, answers, text_phrase, answer_phrases };
}

let room = null;

/** Return this tab's only connection to a room. It is kept when the reader moves to another page. */
export function theRoom() {
  return (room ??= new RoomLink());
}
