// The ballot's own script: it sends a vote until it is counted, and looks for news. The server makes
// what is shown; here only that is put in its place.
(() => {
  const page = JSON.parse(document.getElementById("page").textContent);
  const words = page.words;
  const main = document.getElementById("main");
  const said = document.getElementById("said");
  const trouble = document.getElementById("trouble");
  // Who does not see the page hears of a new question here, and of nothing twice.
  const news = document.getElementById("news");
  // Counts the votes of this page, so that one that was long on its way overtakes no later one.
  const name = Math.floor(Math.random() * 2 ** 52);
  let n = 0;
  let tag = null;
  let wanted = null;
  let sending = false;
  let timer = 0;
  let quiet = 0;
  let server = page.server;
  let lost = false;

  // Phones that began together should not go on asking together.
  const around = (seconds) => seconds * (700 + Math.random() * 600);

  async function ask(address, options) {
    const ends = new AbortController();
    const late = setTimeout(() => ends.abort(), 9000);
    try {
      const answer = await fetch(address, { ...options, signal: ends.signal, cache: "no-store" });
      const body = answer.status === 304 || answer.status === 204 ? null : await answer.json();
      return { status: answer.status, body, tag: answer.headers.get("etag") };
    } catch {
      return { status: 0, body: null, tag: null };
    } finally {
      clearTimeout(late);
    }
  }

  function show(state) {
    const focused = document.activeElement && document.activeElement.value;
    const had = main.contains(document.activeElement);
    main.innerHTML = state.main;
    if (had) {
      const button = main.querySelector(`button[value="${focused}"]`);
      (button || main).focus();
    }
    const question = state.open && state.question ? state.question.text : "";
    if (news.textContent !== question) news.textContent = question;
    if (said.textContent !== state.said) said.textContent = state.said;
  }

  function take(answer) {
    const state = answer.body;
    if (server !== state.server) {
      server = state.server;
      lost = true;
      wanted = null;
    }
    tag = answer.tag;
    quiet = 0;
    trouble.textContent = lost ? words.back : "";
    // What was tapped meanwhile stays tapped, as long as that question is open.
    if (wanted && !(state.open && state.open.question === wanted.question && state.open.round === wanted.round)) wanted = null;
    show(state);
    if (wanted) mark();
  }

  function mark() {
    for (const button of main.querySelectorAll("button[name=answer]")) {
      button.setAttribute("aria-pressed", String(Number(button.value) === wanted.answer));
    }
    said.textContent = words.sending.replace("{letter}", "ABCD"[wanted.answer]);
  }

  async function look() {
    clearTimeout(timer);
    if (document.hidden || sending) return;
    const answer = await ask(page.state, tag ? { headers: { "If-None-Match": tag } } : {});
    if (sending) return;
    if (answer.status === 200) take(answer);
    else if (answer.status === 304) {
      quiet += 1;
      if (trouble.textContent !== words.back) trouble.textContent = "";
    } else if (answer.status === 404) {
      tag = null;
      const gone = answer.body && answer.body.gone;
      trouble.textContent = gone ? words.over : words.lost;
      quiet += 1;
      again(gone ? 30 : 8);
      return;
    } else {
      if (answer.status !== 429) trouble.textContent = (answer.body && answer.body.message) || words.offline;
      quiet += 1;
    }
    again();
  }

  // Look for news after a pause that grows up to so many seconds while there is none.
  function again(most = 5) {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(look, around(Math.min(2 * 1.25 ** quiet, most)));
  }

  async function send() {
    if (sending) return;
    sending = true;
    clearTimeout(timer);
    let pause = 0.5;
    let refused = 0;
    while (wanted) {
      const vote = wanted;
      const body = JSON.stringify({ question: vote.question, round: vote.round, answer: vote.answer, page: name, n: vote.n });
      const answer = await ask(page.vote, { method: "POST", headers: { "Content-Type": "application/json" }, body });
      const newer = wanted !== vote;
      if (answer.status === 200) {
        if (!newer) wanted = null;
        take(answer);
        pause = 0.5;
      } else if (answer.status === 403 && refused < 2) {
        // A phone that the server does not know, or not any more, is let in by asking how things stand.
        refused += 1;
        await ask(page.state, {});
      } else if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
        if (!newer) wanted = null;
        said.textContent = (answer.body && answer.body.message) || words.offline;
        tag = null;
      } else {
        if (!newer) said.textContent = words.retry;
        await new Promise((go) => setTimeout(go, around(pause)));
        pause = Math.min(2 * pause, 8);
      }
    }
    sending = false;
    // What was refused is looked at again at once, but what was said of it stays a while.
    timer = setTimeout(look, around(tag ? 2 : 3));
  }

  main.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=answer]");
    if (!button) return;
    event.preventDefault();
    const form = button.form;
    n += 1;
    lost = false;
    trouble.textContent = "";
    wanted = {
      question: Number(form.elements.question.value), round: Number(form.elements.round.value),
      answer: Number(button.value), n,
    };
    mark();
    send();
  });
  document.addEventListener("visibilitychange", () => {
    quiet = 0;
    if (document.hidden) clearTimeout(timer);
    else look();
  });
  addEventListener("online", look);
  addEventListener("pageshow", (event) => { if (event.persisted) look(); });
  again();
})();
