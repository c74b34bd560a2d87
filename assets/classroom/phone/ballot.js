// The script of the voting page on a phone. It resends a vote until the server has counted it, and it polls the server
// for news. The server renders the page's HTML, and the script inserts it.
const main = document.getElementById("main");
const said = document.getElementById("said");
// Live region. Screen readers announce each new question once.
const news = document.getElementById("news");

// `name` identifies this page, and `n` numbers its votes, so that the server ignores an older vote that arrives late.
const name = Math.floor(Math.random() * 2 ** 52);
let n = 0;
let wanted = null; // the vote that is not counted yet

const answerButtons = () => [...main.querySelectorAll("[name=answer]")];

function show(state) {
  // A vote that was sent but not yet counted stays marked while its question and its round are open.
  if (wanted && !(state.open && state.open.question === wanted.question && state.open.round === wanted.round)) wanted = null;
  const focused = main.contains(document.activeElement) ? document.activeElement : null;
  main.innerHTML = state.main;
  if (focused) (answerButtons().find(({ value }) => value === focused.value) || main).focus();
  if (news.textContent !== state.news) news.textContent = state.news;
  if (said.textContent !== state.said) said.textContent = state.said;
  if (wanted) mark();
}

function end() {
  main.replaceChildren();
  said.textContent = news.textContent = "";
}

function mark() {
  for (const button of answerButtons()) button.setAttribute("aria-pressed", String(button.value === wanted.answer));
  said.textContent = words.sending.replace("{letter}", wanted.called);
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
      // The server does not recognize this phone. A request for the state registers the phone.
      refused += 1;
      await ask(page.state, {});
    } else if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
      if (!newer) wanted = null;
      said.textContent = answer.status === 404 ? "" : (answer.body && answer.body.message) || offline();
      tag = null;
    } else {
      if (!newer) said.textContent = words.retry;
      await new Promise((go) => setTimeout(go, around(pause)));
      pause = Math.min(2 * pause, 8);
    }
  }
  sending = false;
  // Wait a little longer after a refused vote, so that the message can be read.
  timer = setTimeout(look, around(tag ? 2 : 3));
}

main.addEventListener("click", (event) => {
  const button = event.target.closest("form button");
  if (!button) return;
  event.preventDefault();
  const { question, round } = button.form.elements;
  n += 1;
  trouble.textContent = "";
  wanted = { question: Number(question.value), round: Number(round.value), answer: button.value, called: button.dataset.called, n };
  mark();
  send();
});
