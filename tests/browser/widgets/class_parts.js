// Classroom components, shown with made-up votes.

const load = (name) => import(`/assets/v1/${name}.js`);
const NO_ROOM = { code: null, address: null, typed: null, phones: 0, trouble: null, reach: null, host: location.host };
const COLOURS = { none: { line: "orange", text: "brown" }, batch: { line: "blue", text: "navy" } };

/** Return a page object with everything that classroom components need. @param given {words, labels} */
async function pageOf({ words, labels }) {
  const { translator } = await load("live/lib/texts");
  const data = { base: "", dark: false, talk: null, norms: ["none", "batch"], labels, colours: COLOURS };
  return { id: "v", root: document.body, announcer: { say() {} }, notices: { show() {} }, t: translator({ class: words }), data };
}

const subject = { runLabel: () => "Run", waitingText: () => "Known at step 90.", formerText: (sentence) => `Before: ${sentence}`, canAsk: true };
const shown = (elements) => [...elements].filter(({ hidden }) => !hidden).map(({ dataset }) => dataset.class);

/** Return the rows of the list of answers. */
export async function answers({ question, state, ...given }) {
  const { AnswerList } = await load("classroom/answer_list");
  const made = new AnswerList(await pageOf(given), () => {}, "class.layer.yours");
  const { may, happened, guess, ...votes } = state;
  made.show({ question, guess, going: !may, votes, happened: happened && { answers: happened } });
  return [...made.element.children].map((row) => {
    const text = (name) => row.querySelector(name)?.textContent ?? null;
    const bars = [...row.querySelectorAll(".class-track i")];
    return {
      came: row.className, bars: bars.map((bar) => [bar.className, Number(bar.style.getPropertyValue("--share"))]),
      numbers: text(".class-bars > b"), yours: text(".class-yours"), letter: text(".class-letter"), answer: text(".class-answer"),
      pressed: row.querySelector("button")?.getAttribute("aria-pressed") ?? null, happened: text(".class-happened"),
      line: row.style.getPropertyValue("--line"),
    };
  });
}

export async function answered({ votes, phones, ...given }) {
  const module = await load("classroom/vote_dialog");
  return module.answered((await pageOf(given)).t, votes, phones);
}

/** Return the texts and buttons of the vote dialog in each of the states [votes, further fields of the question]. */
export async function layer({ question, states, room, ...given }) {
  const { VoteDialog } = await load("classroom/vote_dialog");
  const made = new VoteDialog(await pageOf(given), subject, {});
  document.body.replaceChildren(made.element);
  const text = (name) => made.element.querySelector(name).textContent;
  return states.map(([votes, more]) => {
    made.update({ question, votes, guess: null, going: false, happened: null, ...more }, { ...NO_ROOM, ...room });
    const buttons = made.element.querySelectorAll(".class-actions button");
    return {
      status: text(".class-status"), buttons: shown(buttons), count: text(".class-count"), note: text(".class-note"),
      main: shown([...buttons].filter(({ classList }) => classList.contains("bnviz-filled")))[0] ?? null,
      trouble: text(".class-trouble"), join: !made.join.hidden, code: text(".class-code"), address: text(".class-address"),
      numbers: [...made.element.querySelectorAll(".class-bars > b")].map(({ textContent }) => textContent),
    };
  });
}

/**
 * Return the texts and buttons of the vote panel in each of the states [votes, further fields of the question, room].
 */
export async function panel({ question, states, ...given }) {
  const { VotePanel } = await load("classroom/vote_panel");
  const made = new VotePanel(await pageOf(given), subject, {});
  return states.map(([votes, more, room]) => {
    made.update({ question, votes, guess: null, going: false, happened: null, alone: false, ...more }, { ...NO_ROOM, ...room });
    const buttons = made.element.querySelectorAll("header button[data-class]");
    return [made.element.querySelector(".class-line").textContent, shown(buttons), made.join.hidden ? null : made.join.textContent];
  });
}

export async function joined({ sentences }) {
  const asked = await load("classroom/asked_question");
  return sentences.map(asked.joined);
}

/** Count raised hands in two rounds without a server. Return the votes after each of the three actions. */
export async function rounds({ question, counts, ...given }) {
  sessionStorage.clear();
  const { fetch } = window;
  window.fetch = () => Promise.reject(new TypeError("offline"));
  const { AskTheClass } = await load("classroom/ask_the_class");
  const { AskedQuestion } = await load("classroom/asked_question");
  class QuestionHere extends AskedQuestion {
    static of = "run";
    follow() {
      return false;
    }
  }
  const none = () => null;
  const here = {
    ...subject, AskedQuestion: QuestionHere, id: 1, questions: () => [question],
    isUndecided: () => true, decidedText: () => "", state: none, holdChanges: none, discardChanges: none, cover: none, pause: none, asAsked: (asked) => asked,
    resume: none, run: none, outcomeOf: none,
  };
  document.body.replaceChildren();
  const asking = new AskTheClass(await pageOf(given), here);
  document.body.append(asking.button, asking.element);
  asking.update();
  asking.begin();
  document.querySelector("dialog form button[type=submit]").click();
  const open = document.querySelector("dialog.class-open");
  const press = (name) => open.querySelector(`[data-class=${name}]`).click();
  const hands = (numbers) => {
    press("hands");
    open.querySelectorAll(".class-hands input").forEach((field, i) => (field.value = numbers[i]));
    open.querySelector(".class-hands button").click();
  };
  const found = [];
  for (const turn of [() => hands(counts[0]), () => press("vote_again"), () => hands(counts[1])]) {
    await new Promise((go) => setTimeout(go));
    turn();
    await new Promise((go) => setTimeout(go));
    const { votes } = JSON.parse(sessionStorage.getItem("bnviz-question"));
    found.push([votes.round, votes.status, votes.answered, votes.tally, votes.first]);
  }
  asking.destroy();
  window.fetch = fetch;
  sessionStorage.clear();
  return found;
}
