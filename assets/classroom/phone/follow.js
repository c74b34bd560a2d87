// The script of a phone that follows the teacher: it asks the server which page the teacher's tab shows, and shows it
// in a frame.
(() => {
  const page = JSON.parse(document.getElementById("page").textContent);
  const frame = document.getElementById("frame");
  const waiting = document.getElementById("waiting");
  const asked = document.getElementById("asked");
  const trouble = document.getElementById("trouble");
  let tag = null; // ETag of the newest answer
  let shown = page.place;
  let quiet = 0; // answers without news, one after the other
  let timer = 0;
  let heard = Date.now(); // when the server answered last

  function show(state) {
    asked.hidden = !state.asked;
    waiting.hidden = Boolean(state.place);
    frame.hidden = !state.place;
    if (state.place && state.place !== shown) {
      shown = state.place;
      // Replaced, so that the browser's Back leaves this page.
      frame.contentWindow.location.replace(state.place);
    }
  }

  async function look() {
    clearTimeout(timer);
    if (document.hidden) return;
    try {
      const answer = await fetch(page.state, {
        cache: "no-store", headers: tag ? { "If-None-Match": tag } : {}, signal: AbortSignal.timeout(9000),
      });
      heard = Date.now();
      if (answer.status === 200) {
        tag = answer.headers.get("etag");
        quiet = 0;
        trouble.textContent = "";
        show(await answer.json());
      } else {
        quiet += 1;
        if (answer.status === 304) trouble.textContent = "";
        if (answer.status === 404) {
          tag = null;
          trouble.textContent = (await answer.json()).gone ? page.words.over : page.words.lost;
        }
      }
    } catch {
      quiet += 1;
      const since = new Intl.DateTimeFormat(document.documentElement.lang || undefined, { timeStyle: "medium" }).format(heard);
      trouble.textContent = page.words.offline.replace("{time}", since);
    }
    if (!document.hidden) timer = setTimeout(look, Math.min(2 * 1.25 ** quiet, 6) * (700 + Math.random() * 600));
  }

  document.addEventListener("visibilitychange", () => {
    quiet = 0;
    look();
  });
  addEventListener("online", look);
  look();
})();
