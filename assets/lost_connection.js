// The line about a lost connection, one for the whole page. This script is part of the head of each page, so that it
// works even if nothing else has loaded. The connections are Streamlit's, and those that live views and maps report
// with the event "bnviz-connection".
{
  const { health, texts } = document.currentScript.dataset;
  const EVERY = 1500; // ms between two requests while the page loads
  const lost = new Map(); // the lost connections, and since when they are lost
  const line = Object.assign(document.createElement("p"), { className: "bnviz-lost", role: "alert" });
  let arrived = false; // whether Streamlit has been connected
  let broken = false; // whether a part of the page could not be loaded

  function tell(of, since) {
    if (!since) lost.delete(of);
    else if (!lost.has(of)) lost.set(of, since);
    if (!lost.size) line.remove();
    else if (!line.isConnected) {
      const { lang } = document.documentElement;
      const time = new Intl.DateTimeFormat(lang || undefined, { timeStyle: "medium" }).format(since);
      const known = JSON.parse(texts);
      line.textContent = (known[lang] ?? known.en).replace("{time}", time);
      document.body.append(line);
    }
  }

  // Streamlit's own dialog is hidden (shell.css). Close it, because it also disables the page.
  function look() {
    const app = document.querySelector("[data-test-connection-state]");
    const connected = app?.dataset.testConnectionState === "CONNECTED";
    arrived ||= connected;
    if (arrived) tell("app", connected ? null : new Date());
    if (app && !connected) document.querySelector("[data-testid=stDialog] button")?.click();
  }

  addEventListener("bnviz-connection", ({ detail }) => tell(detail.of, detail.since));
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributeFilter: ["data-test-connection-state"] });

  // A page that loads while the server is away stays incomplete, because browsers do not request a module again. Reload
  // the page when the server is back. Imports that fail are only reported to the observer, and not in every browser.
  addEventListener("error", ({ target }) => { broken ||= target instanceof HTMLScriptElement || target instanceof HTMLLinkElement; }, true);
  const failed = ({ name, responseStatus }) => responseStatus === 0 && name.startsWith(location.origin) && /\.(js|css)$/.test(name);
  new PerformanceObserver((list) => { broken ||= list.getEntries().some(failed); }).observe({ type: "resource" });
  async function check() {
    const complete = () => !document.getElementById("root") || (arrived && !broken);
    const asked = { cache: "no-store", signal: AbortSignal.timeout(5000) };
    const here = complete() || (await fetch(health, asked).then(({ ok }) => ok, () => false));
    const [{ type }] = performance.getEntriesByType("navigation");
    if (complete()) tell("server", null);
    else if (!here) tell("server", new Date());
    else if (lost.has("server") || (broken && type !== "reload")) location.reload();
    else broken = false;
    setTimeout(check, EVERY);
  }
  setTimeout(check, EVERY);
}
