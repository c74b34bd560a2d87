// The socket of a run: connects, parses messages, connects again after a loss.

const FIRST_WAIT = 250; // ms before the first attempt to reconnect; doubles with each failure
const LONGEST_WAIT = 8000; // ms
// Close codes after which the socket stays closed: the run is over, or the server refuses this browser.
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
   * @param onState called with "open"; "lost": it will reconnect; "over": it will not
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

  /**
   * Send a message if the socket is open. Otherwise it is dropped: at the next connection it would be out of
   * date.
   */
  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Reconnect at once if the connection is lost, as when a tab is shown again or a computer wakes up. */
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

/** The address of a run's socket under the server's path, with the version of the messages that we speak. */
export function socketUrl(base, run, wire) {
  const url = new URL(`${base}/live/${encodeURIComponent(run)}?v=${wire}`, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
