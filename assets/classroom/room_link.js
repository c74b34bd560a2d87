// The connection between this tab and its class's room on the server. The room is opened with the first question
// and then asked at intervals how it is; the server is told which page the tab shows, for phones that follow it.
// After a restart of the server the room is opened anew under the same code, with the claim that the server gave this browser.

import { Emitter } from "../live/lib/emitter.js";
import { readFromTab, storeInTab } from "../live/lib/storage.js";

const KEPT = "bnviz-room"; // what is kept of the room over a reload; page_links.js looks for it too
const FIELDS = ["code", "claim", "server", "ballot", "question", "withdrawn"]; // of it
const [OPEN, QUIET] = [1000, 5000]; // ms between two questions how the room is: while a vote is open, else
const PAGE = 1000; // ms between two looks at the address of the page
const [base] = new URL(import.meta.url).pathname.split("/assets/");

/** The error that the server answered with a status. */
function refused(status) {
  return Object.assign(new Error(status), { status });
}

/** Why a request failed, see `RoomLink.trouble`. @throws the error, if it is one of this program */
function troubleOf(error) {
  if (error.status) return "refused";
  if (error instanceof TypeError) return "offline";
  throw error;
}

/**
 * Emits "state" when anything of the room has changed, and "recovered" when it was opened anew after a restart:
 * {lost: how many votes, asked: the new number of its question, or null, code}.
 */
class RoomLink extends Emitter {
  code = null;
  ballot = null; // path of the ballot's page on the server
  here = null; // of a page that was opened as localhost: {hosts} by which phones reach its machine
  phones = 0;
  /** The question as the room has it; null: none, or one that this tab has withdrawn. */
  question = null;
  /** Why there is no room: "offline" (the server does not answer) or "refused"; null: nothing is wrong. */
  trouble = null;
  /** With it the server gives the code only to this browser again. */
  claim = "";
  /** Name of the server's start that has the room. */
  server = null;
  // Number of the question that this tab withdrew last: answers that were under way then, and a room that keeps an
  // outcome for its phones, still name it.
  withdrawn = null;
  #tag = null; // ETag of the newest answer
  #timer = null;
  #sentPage = null; // the page that the server was told of
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

  /** The server as phones reach it. */
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
   * Whether phones reach this page at the address that it was opened at: null: they do; of a page opened as
   * localhost, "hinted": they reach the machine at `host`, "local": the machine is on no network.
   */
  get reach() {
    return this.here && (this.here.hosts.length ? "hinted" : "local");
  }

  /**
   * Ask a question. A room is opened first where there is none, or where the server has lost it.
   *
   * @param question with its text and answers, and the phrases of these
   * @returns the number of the question in the room; null: phones cannot vote
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

  /** Change the question's vote: "again", "close", "reopen", "reveal", "hands", "happened" or "drop". */
  async act(name, body = {}) {
    if (this.code === null) return;
    await this.#try(async () => this.#take(await this.#call("POST", `/${name}`, body)));
  }

  /**
   * Withdraw the question; the room stays. Phones then wait for the next one, unless they have been shown what
   * happened, which they keep.
   *
   * @param shown whether the outcome was sent to the room, though the room may not have answered yet
   */
  async drop(shown = false) {
    const { question } = this;
    // At once, so that the question is not asked again if the server turns out to have been restarted.
    this.question = null;
    this.withdrawn = question?.id ?? this.withdrawn;
    this.#keep();
    const known = question?.status === "revealed" && question.happened;
    if (question && !shown && !known) await this.act("drop");
  }

  async #open() {
    const opened = await this.#call("POST", "", this.code ? { code: this.code, claim: this.claim } : {});
    const { code, ballot, server, claim } = opened;
    // The room may be a new one, which numbers its questions anew.
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

  /** @throws an error with a `status`: the server answered with one; TypeError: it does not answer */
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

  /** Take over an answer of the server; null: nothing has changed. */
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

  /** The server has lost the room: open it anew, ask the question again unless its votes were shown, and say what was lost. */
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

  /** Begin to ask how the room is, and to tell it which page this tab shows. */
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
    // Not every page has its run in its address; phones that follow watch the same run.
    const run = document.querySelector("[data-testid='live-view'][data-run]")?.dataset.run || undefined;
    const page = `${address} ${run}`;
    if (window.top !== window || page === this.#sentPage) return;
    this.#sentPage = page;
    try {
      await this.#call("PUT", "/place", { address, run });
    } catch {
      this.#sentPage = null; // the next look tries again
    }
  }
}

/** What the room is sent to ask a question, also once more: its words, and the phrases that they were made of. */
export function requestOf({ text, answers, text_phrase, answer_phrases }) {
  return { text, answers, text_phrase, answer_phrases };
}

let room = null;

/** The one connection of this tab: it outlives the pages that ask. */
export function theRoom() {
  return (room ??= new RoomLink());
}
