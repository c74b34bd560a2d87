// Streamlit's connection to the page's script (Python). After a restart of the server, or after minutes without a
// connection, the script starts with an empty state. It then runs with the run's id in its query, so that it shows the
// same run again.

const STATE = "data-test-connection-state"; // attribute of Streamlit's app

export class ScriptConnection {
  #view;
  #away = false; // whether Streamlit has lost the connection, and the script has not run since
  #app = document.querySelector(`[${STATE}]`);
  #observer = new MutationObserver(() => this.update());

  constructor(view) {
    this.#view = view;
    if (this.#app) this.#observer.observe(this.#app, { attributeFilter: [STATE] });
  }

  /** Run the script again as soon as both connections, Streamlit's and the run's, are back. */
  update() {
    const { store } = this.#view;
    if (!this.#app || !store?.run) return;
    if (!this.#connected) {
      // Nothing is sent now, but Streamlit keeps the query for its next request.
      if (!this.#away) {
        sendQuery();
        this.#view.script.forget();
        this.tell(new Date());
      }
      this.#away = true;
      document.documentElement.dataset.returns = ""; // so that Streamlit does not fade the page (shell.css)
    } else if (this.#away && store.connected) {
      this.#away = false;
      this.#view.startAgain();
      sendQuery();
    } else if (this.#away) store.hurry();
  }

  /** Whether the page must wait for the script. A page whose run is gone says so, and its reader starts another run. */
  get away() {
    const { run, over } = this.#view.store;
    return "returns" in document.documentElement.dataset && !(this.#connected && (over || !run));
  }

  get #connected() {
    return this.#app.getAttribute(STATE) === "CONNECTED";
  }

  /** Called when the script has run. */
  arrive() {
    if (this.#away) return;
    delete document.documentElement.dataset.returns;
    this.#view.script.release();
    this.tell(null);
  }

  /**
   * Keep the page's line about the lost connection until the script has run, because commands have no effect before, or
   * until the view says that its run is gone.
   */
  tell(since) {
    dispatchEvent(new CustomEvent("bnviz-connection", { detail: { of: this, since } }));
  }

  destroy() {
    this.tell(null);
    delete document.documentElement.dataset.returns;
    this.#observer.disconnect();
  }
}

/**
 * Let Streamlit run the script as after Back. The query has the ids of the runs and the names of the comparisons that the
 * page shows. The address itself stays as it is.
 */
function sendQuery() {
  const { href } = location;
  const address = new URL(href);
  for (const { dataset } of document.querySelectorAll("[data-shown]")) address.searchParams.append("shown_run", dataset.shown);
  history.replaceState(history.state, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
  history.replaceState(history.state, "", href);
}
