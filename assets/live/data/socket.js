// The socket of a run. It connects, parses messages, and connects again after the connection was lost.

const FIRST_WAIT = 250; // ms before the first attempt to reconnect; doubled after each failure
const LONGEST_WAIT = 8000; // ms
const SILENT_BEATS = 4; // number of missing server heartbeats after which the connection counts as lost
// if a timer fires later than this many ms after its time, the page was halted, and messages may still be waiting
const LATE = 500;
// Close codes after which the socket stays closed, because the run has ended or the server refuses this browser
const FINAL = new Set([4404, 1008]);

export class Socket {
  #url;
  #onMessage;
  #onState;
  #socket = null;
  #wait = FIRST_WAIT;
  #timer = null;
  #closed = false;
  #patience = Infinity; // ms of silence after which the connection counts as lost
  #watch = null; // timer that detects this silence
  #heardAt = performance.now();

  /**
   * @param url ws(s) address of the run
   * @param onMessage called with each parsed message
   * @param onState called with "open", "lost" (the socket will reconnect) or "over" (it will not reconnect), and with
   * the time of the last message
   */
  constructor(url, onMessage, onState) {
    this.#url = url;
    this.#onMessage = onMessage;
    this.#onState = onState;
    this.#connect();
  }

  #connect() {
    if (this.#closed) return;
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    this.#watchSilence();
    socket.onopen = () => this.#onState("open");
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return;
      this.#wait = FIRST_WAIT;
      this.#heardAt = performance.now();
      this.#watchSilence();
      const message = JSON.parse(event.data);
      if (message.type === "beat") this.send(message);
      else this.#onMessage(message);
    };
    socket.onclose = ({ code }) => {
      if (socket !== this.#socket || this.#closed) return;
      this.#closed ||= FINAL.has(code);
      if (this.#closed) this.#end();
      else this.#lose();
    };
  }

  /** Set the interval in seconds at which the server sends heartbeats if it sends no other messages. */
  expectBeats(seconds) {
    this.#patience = 1000 * SILENT_BEATS * seconds;
    this.#watchSilence();
  }

  #watchSilence() {
    clearTimeout(this.#watch);
    if (this.#closed || this.#patience === Infinity) return;
    const due = performance.now() + this.#patience;
    this.#watch = setTimeout(() => this.#onSilence(due), this.#patience);
  }

  /**
   * Treat a silence as a lost connection, unless the page was halted or hidden. In that case, messages may still be
   * waiting.
   */
  #onSilence(due) {
    if (document.hidden || performance.now() > due + LATE) return this.#watchSilence();
    // Perhaps neither the server nor the browser notices that the connection is gone, so do not wait until it closes.
    const socket = this.#socket;
    this.#socket = null;
    socket.close();
    this.#lose();
  }

  #lose() {
    clearTimeout(this.#watch);
    this.#onState("lost", this.#heardAt);
    this.#timer = setTimeout(() => this.#connect(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
  }

  #end() {
    clearTimeout(this.#watch);
    this.#onState("over", this.#heardAt);
  }

  /**
   * Send a message if the socket is open. Otherwise drop the message, because it would be outdated at the next
   * connection.
   */
  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Reconnect at once if the connection is lost. Call this when a tab becomes visible again or a computer wakes up. */
  hurry() {
    if (this.#closed || (this.#socket && this.#socket.readyState !== WebSocket.CLOSED)) return;
    clearTimeout(this.#timer);
    this.#wait = FIRST_WAIT;
    this.#connect();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#watch);
    if (this.#socket) this.#socket.onmessage = null;
    this.#socket?.close();
  }
}

/**
 * Return the address of a run's socket under the server's path, with the version of the messages and the name of the
 * tab.
 */
export function socketUrl(base, run, wire, tab = "") {
  const url = new URL(`${base}/live/${encodeURIComponent(run)}?v=${wire}`, location.href);
  if (tab) url.searchParams.set("tab", tab);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
