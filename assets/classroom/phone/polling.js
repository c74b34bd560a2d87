// Shared first part of the phones' scripts. It is placed inside one function together with the rest of each script. A
// phone polls the server, and does so less often while there is no news.
const page = JSON.parse(document.getElementById("page").textContent);
const { words } = page;
const trouble = document.getElementById("trouble");
let tag = null; // ETag of the latest response
let timer = 0;
let quiet = 0; // number of consecutive responses without news
let heard = Date.now(); // time of the latest response
let sending = false; // whether a vote is being sent; no polling then, because the response contains the new state

// Convert seconds to milliseconds with random jitter, so that the phones do not all poll at the same moment.
const around = (seconds) => seconds * (700 + Math.random() * 600);

// The page in the frame already shows that the connection is lost.
const offline = () => document.querySelector("iframe")?.contentDocument?.querySelector(".bnviz-lost") ? "" : words.offline.replace("{time}", new Intl.DateTimeFormat(document.documentElement.lang || undefined, { timeStyle: "medium" }).format(heard));

async function ask(address, options) {
  const ends = new AbortController();
  const late = setTimeout(() => ends.abort(), 9000);
  try {
    const answer = await fetch(address, { ...options, signal: ends.signal, cache: "no-store" });
    const body = answer.status === 304 || answer.status === 204 ? null : await answer.json();
    heard = Date.now();
    return { status: answer.status, body, tag: answer.headers.get("etag") };
  } catch {
    return { status: 0, body: null, tag: null };
  } finally {
    clearTimeout(late);
  }
}

// Show the news in a response. Each phone script defines its own `show`, and `end` for a class that is over.
function take(answer) {
  tag = answer.tag;
  quiet = 0;
  trouble.textContent = "";
  show(answer.body);
}

async function look() {
  clearTimeout(timer);
  if (document.hidden || sending) return;
  const answer = await ask(page.state, tag ? { headers: { "If-None-Match": tag } } : {});
  if (sending) return;
  const { status, body } = answer;
  if (status === 200) {
    take(answer);
    return lookLater();
  }
  quiet += 1;
  if (status === 404) {
    tag = null;
    trouble.textContent = words.over;
    end();
    return lookLater(30);
  }
  if (status === 304) trouble.textContent = "";
  else if (status !== 429) trouble.textContent = (body && body.message) || offline();
  lookLater();
}

// Poll again after a pause. While there is no news, the pause grows to at most `most` seconds.
function lookLater(most = 5) {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(look, around(Math.min(2 * 1.25 ** quiet, most)));
}

document.addEventListener("visibilitychange", () => {
  quiet = 0;
  look();
});
addEventListener("online", look);
addEventListener("pageshow", (event) => { if (event.persisted) look(); });
lookLater();
