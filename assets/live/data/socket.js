// The watching socket: connects, answers with acknowledgements, comes back by itself.

const FIRST_WAIT = 250; // ms; doubles with each failure
const LONGEST_WAIT = 8000;
// The run is over, or the server will not have us: asking again changes nothing.
const FINAL = new Set([4404, 1008]);

export class Socket {
  #url;
  #onMessage;
  #onState;
  #socket = null;
  #wait = FIRST_WAIT;
  #timer = null;
  #closed = false;

  /**
   * @param url ws(s) address of the run
   * @param onMessage called with each parsed message
   * @param onState called with "open", "lost" (it tries again) or "over" (it does not)
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
    socket.onopen = () => this.#onState("open");
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return;
      this.#wait = FIRST_WAIT;
      this.#onMessage(JSON.parse(event.data));
    };
    socket.onclose = ({ code }) => {
      if (socket !== this.#socket || this.#closed) return;
      this.#closed ||= FINAL.has(code);
      this.#onState(this.#closed ? "over" : "lost");
      if (this.#closed) return;
      this.#timer = setTimeout(() => this.#connect(), this.#wait * (0.75 + Math.random() / 2));
      this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
    };
  }

  /** Send if connected; what cannot be sent now is stale by the next connection. */
  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Try again at once, for a tab that comes back or a machine that wakes up. */
  hurry() {
    if (this.#closed || this.#socket.readyState !== WebSocket.CLOSED) return;
    clearTimeout(this.#timer);
    this.#wait = FIRST_WAIT;
    this.#connect();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#socket) this.#socket.onmessage = null;
    this.#socket?.close();
  }
}

/** Address of a run's socket under a base path, with the wire version this side speaks. */
export function socketUrl(base, run, wire) {
  const url = new URL(`${base}/live/${encodeURIComponent(run)}?v=${wire}`, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
