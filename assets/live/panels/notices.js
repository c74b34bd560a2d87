// Notices in the toolbar about events that the measurements do not show. Most notices disappear after some seconds; a
// notice that requires an action remains.

import { button, differsFromLast, h } from "../lib/dom.js";
import { messageText } from "../lib/texts.js";

const LEAST = 6000; // minimum time in ms for which a notice is shown
const PER_LETTER = 60; // additional time in ms per letter of the notice
// Names of the notices that give the reason why a run has failed.
const FAILURES = new Set(["error", "worker_died_twice", "worker_hung_twice"]);

export class Notices {
  element = h("div.bnviz-notices");
  #view;
  #shown = new Map(); // key → {banner, timer}
  #isNew = differsFromLast(); // compares the page's notices

  constructor(view) {
    this.#view = view;
  }

  /**
   * Show a notice. It replaces any notice with the same key.
   * @param key key of its text
   * @param options {sticky: whether the notice remains until it is hidden, action: {label, run} of a button}
   */
  show(key, values = {}, options = {}) {
    this.#add(key, this.text(key, values), options);
  }

  /** Show that the run has failed, and the reason if it is known. */
  showFailure(why) {
    this.#add("reason.failed", [why, this.text("reason.failed", {})].filter(Boolean).join(" "), { sticky: true });
  }

  /** Show in the page's line (lost_connection.js) since when the connection is lost. `since` is null if it is not. */
  showLost(since) {
    dispatchEvent(new CustomEvent("bnviz-connection", { detail: { of: this, since } }));
  }

  /** Text of a notice. */
  text(key, values) {
    return this.#view.t(key.includes(".") ? key : `notice.${key}`, values);
  }

  #add(key, text, { sticky = false, action = null }) {
    this.hide(key);
    const { t } = this.#view;
    const banner = h("div.bnviz-notice", { "data-notice": key },
      h("span", { title: text }, text),
      action ? button(action.label, action.run, { className: "bnviz-link" }) : null,
      sticky ? null : button("×", () => this.hide(key), { className: "bnviz-icon", aria: t("notice.dismiss") }));
    const entry = { banner, timer: null };
    this.#shown.set(key, entry);
    // Put the newest notice first.
    this.element.prepend(banner);
    this.#view.announcer.say(text, `notice ${key}`, `${text} ${performance.now()}`);
    if (sticky) return;
    const leave = () => (entry.timer = setTimeout(() => this.hide(key), LEAST + PER_LETTER * text.length));
    const stay = () => clearTimeout(entry.timer);
    leave();
    // A notice stays while a pointer is over it or the focus is in it.
    for (const name of ["pointerenter", "focusin"]) banner.addEventListener(name, stay);
    for (const name of ["pointerleave", "focusout"]) banner.addEventListener(name, () => (stay(), leave()));
  }

  /** Show the notices of the Streamlit script, unless they are unchanged. */
  fromPage(notices) {
    if (!this.#isNew(notices)) return;
    for (const key of [...this.#shown.keys()].filter((key) => key.startsWith("page."))) this.hide(key);
    notices.forEach((text, i) => this.#add(`page.${i}`, text, {}));
  }

  hide(key) {
    const entry = this.#shown.get(key);
    if (!entry) return;
    clearTimeout(entry.timer);
    entry.banner.remove();
    this.#shown.delete(key);
  }

  /** Hide the notices about a run. Notices of the Streamlit script stay. */
  clear() {
    this.showLost(null);
    for (const key of [...this.#shown.keys()]) if (!key.startsWith("page.")) this.hide(key);
  }

  /** Hide all notices and stop their timers. */
  destroy() {
    this.showLost(null);
    for (const key of [...this.#shown.keys()]) this.hide(key);
  }
}

/** Show notices about the events of a view's run. */
export function showRunNotices(view) {
  const { notices, store } = view;
  let why = ""; // why the run has ended with an error
  notices.clear();
  store.on("connection", (state) => {
    notices.showLost(state === "lost" ? store.lostAt : null);
    view.paint();
  });
  store.on("notice", ({ key, values }) => {
    const actions = {
      reload: { label: view.t("notice.reload_now"), run: () => location.reload() },
      expired: { label: view.t("notice.start_anew"), run: () => view.act("reset") },
    };
    const action = key === "expired" && !view.data.can_control ? null : actions[key];
    const message = messageText(view.t, values ?? {});
    notices.show(key, { ...values, message }, action ? { sticky: true, action } : {});
    if (FAILURES.has(key)) {
      why = notices.text(key, { ...values, message });
      showFailure(view, why); // the status of the run may have arrived before this notice
    }
    if (key === "note") view.transport.settle();
    view.paint();
  });
  store.on("status", ({ queue }) => {
    if (store.status === "running") why = "";
    showFailure(view, why);
    const place = queue ?? store.queue;
    if (place && store.status === "queued") notices.show("queued", { place }, { sticky: true });
    else notices.hide("queued");
  });
  store.on("error", (problem) => notices.show("error", { message: messageText(view.t, problem) }));
  store.on("moved_to_run", ({ run }) => {
    if (view.data.can_control) return; // the owner's page opens the new run itself
    const follow = () => view.script.send("follow", { run }); // viewers follow the owner
    notices.show("moved_to_run", {}, { sticky: true, action: { label: view.t("notice.follow"), run: follow } });
    if (!view.time.rewound) follow();
  });
}

/** Show that a run has ended with an error. The transport shows all other reasons for the end of a run. */
function showFailure({ notices, store }, why) {
  if (store.reason === "failed" && store.status !== "running") notices.showFailure(why);
  else notices.hide("reason.failed");
}
