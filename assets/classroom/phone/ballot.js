// The script of the ballot on a phone. It sends a vote until the server has counted it, and asks for news. The
// server makes the HTML of what is shown; the script puts it in place.
(() => {
  const page = JSON.parse(document.getElementById("page").textContent);
  const words = page.words;
  const main = document.getElementById("main");
  const said = document.getElementById("said");
  const trouble = document.getElementById("trouble");
  // Screen readers read a new question from here, once.
  const news = document.getElementById("news");

  // The server takes the votes of a page in the order of their numbers, also where an earlier one arrives later.
  const name = Math.floor(Math.random() * 2 ** 52);
  let n = 0;
  let tag = null; // ETag of the newest answer
  let wanted = null; // the vote that is not counted yet
  let sending = false;
  let timer = 0;
  let quiet = 0; // answers without news, one after the other
  let server = page.server;
  let heard = Date.now(); // when the server answered last
  let restarted = false; // whether a restart of the server has lost this phone's vote

  // Seconds as ms, at random around them: phones that began together do not go on asking together.
  const around = (seconds) => seconds * (700 + Math.random() * 600);

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

  const offline = () => words.offline.replace("{time}", new Intl.DateTimeFormat(document.documentElement.lang || undefined, { timeStyle: "medium" }).format(heard));

  // The form of an open question has a button for each answer, or a field for it and one button to send it; both are
  // called `answer`, whatever the kind of vote.
  const answerFields = () => [...main.querySelectorAll("[name=answer]")];
  const asked = () => [...main.querySelectorAll("input[type=hidden]")].map(({ value }) => value).join(" ");

  function show(state) {
    const focused = main.contains(document.activeElement) ? document.activeElement : null;
    const typed = Boolean(focused) && focused.matches("input[name=answer]");
    const before = asked();
    main.innerHTML = state.main;
    if (focused) {
      const again = answerFields().find((field) => (typed ? field.matches("input") && asked() === before : field.value === focused.value));
      if (typed && again) again.value = focused.value;
      (again || main).focus();
    }
    const question = state.open && state.question ? state.question.text : "";
    if (news.textContent !== question) news.textContent = question;
    if (said.textContent !== state.said) said.textContent = state.said;
  }

  function take(answer) {
    const state = answer.body;
    if (server !== state.server) {
      server = state.server;
      restarted = true;
      wanted = null;
    }
    tag = answer.tag;
    quiet = 0;
    trouble.textContent = restarted ? words.back : "";
    // A vote that is still on its way stays marked while its question is open.
    if (wanted && !(state.open && state.open.question === wanted.question && state.open.round === wanted.round)) wanted = null;
    show(state);
    if (wanted) mark();
  }

  function mark() {
    for (const field of answerFields()) {
      if (field.matches("button")) field.setAttribute("aria-pressed", String(field.value === wanted.answer));
      else field.value = wanted.answer;
    }
    said.textContent = words.sending.replace("{letter}", wanted.called);
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
      lookLater(gone ? 30 : 8);
      return;
    } else {
      if (answer.status !== 429) trouble.textContent = (answer.body && answer.body.message) || offline();
      quiet += 1;
    }
    lookLater();
  }

  // Ask for news after a pause, which grows up to so many seconds while there is none.
  function lookLater(most = 5) {
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
        // The server does not know this phone, or no longer: a request for the state lets it in.
        refused += 1;
        await ask(page.state, {});
      } else if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
        if (!newer) wanted = null;
        said.textContent = (answer.body && answer.body.message) || offline();
        tag = null;
      } else {
        if (!newer) said.textContent = words.retry;
        await new Promise((go) => setTimeout(go, around(pause)));
        pause = Math.min(2 * pause, 8);
      }
    }
    sending = false;
    // After a refusal a little later, so that its message can be read.
    timer = setTimeout(look, around(tag ? 2 : 3));
  }

  main.addEventListener("click", (event) => {
    const button = event.target.closest("form button");
    if (!button) return;
    event.preventDefault();
    const form = button.form;
    if (!form.reportValidity()) return;
    const field = button.name === "answer" ? button : form.elements.answer;
    n += 1;
    restarted = false;
    trouble.textContent = "";
    wanted = {
      question: Number(form.elements.question.value), round: Number(form.elements.round.value),
      answer: field.value, called: field.dataset.called || field.value, n,
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
  lookLater();
})();
