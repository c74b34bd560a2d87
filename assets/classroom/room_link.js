// The connection between this tab and its class's room on the server. The first question opens the room, and the tab
// then polls the room's state. The tab also sends its current page to the server for phones that follow it. After a
// server restart, the tab reopens the room under the same code, using the claim that the server gave this browser.

import { Emitter } from "../live/lib/emitter.js";
import { readFromTab, storeInTab } from "../live/lib/storage.js";

const KEPT = "bnviz-room"; // storage key under which the room survives a reload, also used by page_links.js
const FIELDS = ["code", "claim", "server", "ballot", "question", "withdrawn"]; // fields of the room that are stored
const [OPEN, QUIET] = [1000, 5000]; // polling interval in ms: while a vote is open, otherwise
const PAGE = 1000; // interval in ms between checks of the page's address
const [base] = new URL(import.meta.url).pathname.split("/assets/");

/** Return an error with the HTTP status of a refused request. */
function refused(status) {
  return Object.assign(new Error(`HTTP ${status}`), { status });
}

/** Return the reason for a failed request, see `RoomLink.trouble`. @throws any error that is a bug of this program */
function troubleOf(error) {
  if (error.status) return "refused";
  if (error instanceof TypeError) return "offline";
  throw error;
}

/**
 * The tab's connection to its room. It emits "state" when the room has changed, and "recovered" when the room was
 * reopened after a restart: {lost: number of lost votes, asked: new number of its question or null, code}.
 */
class RoomLink extends Emitter {
  code = null;
  ballot = null; // path of the voting page on the server
  // on a page opened as localhost: {hosts}, the addresses under which phones reach this machine; otherwise null
  here = null;
  phones = 0;
  /** The room's current question, or null if there is none or this tab has withdrawn it. */
  question = null;
  /** Reason why there is no room: "offline" (the server does not respond) or "refused"; null if there is no problem. */
  trouble = null;
  /** Secret with which only this browser can reopen the room under the same code. */
  claim = "";
  /** Identifier of the server process that holds the room. */
  server = null;
  // Number of the question that this tab withdrew last. Responses that were in flight still name it, and so does a room
  // that keeps an outcome for its phones.
  withdrawn = null;
  #tag = null; // ETag of the latest response
  #timer = null;
  #sentPage = null; // the page that was last sent to the server
  #pageTimer = null;
  #recovering = null;

  constructor() {
    super();
    const kept = readFromTab(KEPT);
    if (!kept) return;
    for (const name of FIELDS) if (name in kept) this[name] = kept[name];
    this.#begin();
  }

  /** The address that a phone opens. */
  get address() {
    return this.ballot && this.#forPhones.origin + (base && !this.ballot.startsWith(`${base}/`) ? base : "") + this.ballot;
  }

  /** Host and path of the page on which a code is typed. */
  get typed() {
    const { host, pathname } = new URL(this.address);
    return host + pathname.replace(/\/[^/]*$/, "");
  }

  /** Origin of the server as phones reach it. */
  get #forPhones() {
    const page = new URL(location.origin);
    const [host] = this.here?.hosts ?? [];
    if (host) page.hostname = host;
    return page;
  }

  /** Host and port by which phones reach the server. */
  get host() {
    return this.#forPhones.host;
  }

  /**
   * How phones reach this page: null if its own address works. On a page opened as localhost, "hinted" if phones can
   * use `host`, or "local" if the machine is on no network.
   */
  get reach() {
    return this.here && (this.here.hosts.length ? "hinted" : "local");
  }

  /**
   * Ask a question. Open a room first if there is none or the server has lost it.
   *
   * @param question with its text and answers, and their phrases
   * @returns the question's number in the room, or null if phones cannot vote
   */
  async ask(question) {
    const request = requestOf(question);
    await this.#try(async () => {
      if (this.code === null) await this.#open();
      const asked = () => this.#call("POST", "/ask", request);
      this.#take(await asked().catch(async (error) => {
        if (error.status !== 404) throw error;
        await this.#open(); // the server was restarted since
        return asked();
      }));
    });
    return this.trouble === null ? this.question.id : null;
  }

  /** Send an action on the question: "again", "close", "reopen", "reveal", "hands", "happened" or "drop". */
  async act(name, body = {}) {
    if (this.code === null) return;
    await this.#try(async () => this.#take(await this.#call("POST", `/${name}`, body)));
  }

  /**
   * Withdraw the question and keep the room. Phones then wait for the next question, unless they already show the
   * outcome, which stays on their screens.
   *
   * @param shown whether the outcome was sent to the room, even if the room has not replied yet
   */
  async drop(shown = false) {
    const { question } = this;
    // Clear the question at once, so that it is not asked again if the server turns out to have restarted.
    this.question = null;
    this.withdrawn = question?.id ?? this.withdrawn;
    this.#keep();
    const known = question?.status === "revealed" && question.happened;
    if (question && !shown && !known) await this.act("drop");
  }

  async #open() {
    const opened = await this.#call("POST", "", this.code ? { code: this.code, claim: this.claim } : {});
    const { code, ballot, server, claim } = opened;
    // The room may be new, and a new room restarts its question numbers.
    Object.assign(this, { code, ballot, server, claim, withdrawn: null });
    this.#tag = this.#sentPage = null;
    this.#keep();
    this.#begin();
  }

  async #try(work) {
    try {
      await work();
      this.trouble = null;
    } catch (error) {
      if (error.status === 404 && this.code !== null) return this.#recover();
      this.trouble = troubleOf(error);
    }
    this.emit("state");
  }

  /** @throws an error with a `status` if the server refused, or a TypeError if it did not respond */
  async #call(method, path, body) {
    const room = path || method !== "POST" ? `/${this.code}` : "";
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
    if (this.server !== null && state.server !== this.server) throw refused(404);
    this.phones = state.phones ?? 0;
    this.question = state.question?.id === this.withdrawn ? null : state.question;
    this.#keep();
    this.emit("state");
  }

  #keep() {
    storeInTab(KEPT, Object.fromEntries(FIELDS.map((name) => [name, this[name]])));
  }

  /**
   * Reopen a room that the server has lost, ask its question again unless the votes were shown, and report the loss.
   */
  #recover() {
    this.#recovering ??= (async () => {
      const before = this.question;
      try {
        await this.#open();
        const asks = before && before.status !== "revealed";
        if (asks) this.#take(await this.#call("POST", "/ask", requestOf(before)));
        this.trouble = null;
        this.emit("recovered", { lost: asks ? before.answered : 0, asked: asks ? this.question.id : null, code: this.code });
      } catch (error) {
        this.trouble = troubleOf(error);
      }
      this.#recovering = null;
      this.emit("state");
    })();
    return this.#recovering;
  }

  /** Start to poll the room's state and to send the page that this tab shows. */
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
    // Some pages do not have their run in the address; phones that follow must watch the same run.
    const run = document.querySelector("[data-testid='live-view'][data-run]")?.dataset.run || undefined;
    const page = `${address} ${run}`;
    if (window.top !== window || page === this.#sentPage) return;
    this.#sentPage = page;
    try {
      await this.#call("PUT", "/place", { address, run });
    } catch {
      this.#sentPage = null; // retry at the next interval
    }
  }
}

/** Return the request body that asks a question, for the first time or again: its texts and their phrases. */
export function requestOf({ text, answers, text_phrase, answer_phrases }) {
  return { text, answers, text_phrase, answer_phrases };
}

let room = null;

/** Return this tab's only connection, which is kept when the reader moves to another page. */
export function theRoom() {
  return (room ??= new RoomLink());
}
