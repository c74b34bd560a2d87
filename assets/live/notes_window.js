// Connection from the presentation view to the window with the presenter's notes. It opens the window, sends it the
// current stop of the talk, and receives the keys of the presenter's clicker from it.

import { channelName, tabToken } from "./lib/notes_channel.js";

const LOOKS = "popup,width=760,height=640";

export class NotesWindow {
  #view;
  #walk;
  #channel = null;
  #token = null;
  #told = ""; // last message sent, as JSON
  #onLeave = () => this.#send({ type: "bye" });

  /**
   * @param view the live view
   * @param walk called with 1 (next stop) or −1 (previous stop) when a clicker key is pressed in the notes window
   */
  constructor(view, walk) {
    this.#view = view;
    this.#walk = walk;
  }

  /** Open the notes window, or bring it to the front. */
  open() {
    this.#listen();
    const { data, notices } = this.#view;
    const address = new URL(`${data.base}/notes`, location.origin);
    const language = new URLSearchParams(location.search).get("lang");
    if (language) address.searchParams.set("lang", language);
    address.hash = this.#token;
    const opened = window.open(address, channelName(this.#token), LOOKS);
    if (opened) opened.focus();
    else notices.show("talks.notes_blocked");
  }

  /** Send the current stop of the talk to the notes window. If `talk` is null, send the message `bye`. */
  update(talk) {
    if (!talk && !this.#channel) return;
    this.#listen();
    const { title, number, titles, ask, answers, say, notes } = talk ?? {};
    const message = talk ? { type: "station", title, number, titles, ask, answers, say, notes, language: this.#view.data.language } : { type: "bye" };
    const told = JSON.stringify(message);
    if (told === this.#told) return;
    this.#told = told;
    this.#send(message);
  }

  #listen() {
    if (this.#channel) return;
    this.#token = tabToken();
    this.#channel = new BroadcastChannel(channelName(this.#token));
    this.#channel.addEventListener("message", ({ data }) => {
      if (data.type === "walk" && (data.way === 1 || data.way === -1)) this.#walk(data.way);
      else if (data.type === "hello" && this.#told) this.#send(JSON.parse(this.#told));
    });
    addEventListener("pagehide", this.#onLeave);
  }

  #send(message) {
    this.#channel?.postMessage(message);
  }

  destroy() {
    if (!this.#channel) return;
    this.#onLeave();
    removeEventListener("pagehide", this.#onLeave);
    this.#channel.close();
    this.#channel = null;
  }
}
