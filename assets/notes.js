// Window with the presenter's notes. Over a BroadcastChannel, it receives the current stop of the talk from the
// presentation view and sends it the clicker's keys. Closing this window does not affect the presentation view. When
// the presentation view closes, this window says so and closes.

import { button, fill, h, modified, setText } from "./live/lib/dom.js";
import { translator } from "./live/lib/texts.js";
import { channelName } from "./live/lib/notes_channel.js";

const WAYS = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 };
// Maximum time in ms that this window waits for the presentation view to reload. If the tab of the presentation view
// was closed, this window closes at once.
const PATIENCE = 60_000;
const SECOND = 1000; // ms

const t = translator(JSON.parse(document.getElementById("words").textContent));
const main = document.getElementById("notes");
const clock = h("time", { title: t("since") });
const channel = new BroadcastChannel(channelName(location.hash.slice(1)));
let began = null; // time in ms at which the first stop of the talk arrived, or null before that
let gone = null; // time in ms at which the presentation view left, or null while it is there

channel.addEventListener("message", ({ data }) => {
  if (data.type === "station") show(data);
  else if (data.type === "bye") leave();
});
channel.postMessage({ type: "hello" });
if (!main.children.length) fill(main, h("p.left", { role: "status" }, t("waiting")));
setInterval(tick, SECOND);

/**
 * Show a stop of the talk. `title` is the title of the talk, `number` the number of the stop, and `titles` the titles
 * of all stops.
 */
function show({ title, number, titles, ask, answers, say, notes, language }) {
  gone = null;
  began ??= Date.now();
  if (language) document.documentElement.lang = language;
  const part = (name, ...content) => h("section", { class: name }, h("h2", t(name)), content);
  const way = (by, label, there) =>
    button(label, () => walk(by), { aria: there ? t(by > 0 ? "next" : "back", { title: there }) : null, disabled: !there });
  fill(main,
    h("header", h("span", title), h("b", t("of", { number, count: titles.length })), clock),
    h("h1", titles[number - 1]),
    h("div",
      part("notes", notes ? h("p", notes) : h("p.none", t("no_notes"))),
      say ? part("say", h("p", say)) : null,
      ask ? part("ask", h("p", ask), answers.length ? h("ol", answers.map((answer) => h("li", answer))) : null) : null),
    h("footer", way(-1, "‹", titles[number - 2]), h("span", titles[number] ? [t("then"), " ", h("b", titles[number])] : t("last")), way(1, "›", titles[number])));
  tick();
}

/** Show that the presentation view is closed or has no talk any more. */
function leave() {
  fill(main, h("p.left", { role: "status" }, t("left")));
  gone = Date.now();
}

function walk(way) {
  channel.postMessage({ type: "walk", way });
}

function tick() {
  if (gone !== null && (window.opener?.closed || Date.now() - gone > PATIENCE)) return close();
  const seconds = began === null ? 0 : Math.floor((Date.now() - began) / SECOND);
  setText(clock, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
}

document.addEventListener("keydown", (event) => {
  const way = WAYS[event.key];
  if (!way || event.repeat || modified(event)) return;
  event.preventDefault();
  walk(way);
});
