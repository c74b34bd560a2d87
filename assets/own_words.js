// Page *What you can say now*. The reader first answers an open question in writing. Then the page shows a model
// answer, three points to tick, and a page to reread. All answers stay in this browser.

import { differsAt, fill, h, pill, setHidden, setText } from "./live/lib/dom.js";
import { countedText, translator } from "./live/lib/texts.js";
import { LONGEST_WORDS, keepLesson, keepWords, readWords } from "./lessons/progress.js";
import { takeAlong } from "./lessons/take_along.js";

const EMPTY = { text: "", compared: false, points: [false, false, false] };

/**
 * Entry point that Streamlit calls at each rerun.
 * @param data see bnviz/ui/lessons/own_words.py
 */
export default function mount({ parentElement, data }) {
  // Redraw only if something has changed, because redrawing would replace a field in which the reader is typing.
  if (!differsAt(parentElement, [data.questions, data.texts])) return;
  const t = translator(data.texts);
  const summary = h("p.say-summary", { role: "status" });
  const tell = () => {
    const answers = data.questions.map(({ name }) => readWords()[name] ?? EMPTY);
    const compared = answers.filter((answer) => answer.compared);
    const points = compared.flatMap((answer) => answer.points);
    const ticked = points.filter(Boolean).length;
    setText(summary, t(ticked ? "say.summary" : "say.compared", {
      compared: compared.length, questions: data.questions.length, ticked, points: points.length,
    }));
    setHidden(summary, !compared.length);
    if (compared.length === data.questions.length) keepLesson(data.lesson, { done: true });
  };
  const list = h("ol.say");
  const draw = () => {
    fill(list, data.questions.map((question) => item(question, t, tell)));
    tell();
  };
  draw();
  fill(parentElement, h("div.bnviz", list, summary, takeAlong(t, draw)));
}

/** Create one question: its text field, and the parts that appear after the reader has answered. */
function item({ name, question, answer, points, page }, t, tell) {
  const kept = readWords()[name] ?? { ...EMPTY, points: [...EMPTY.points] };
  const id = `say-${name}`;
  const keep = () => {
    keepWords(name, kept);
    tell();
  };
  const field = h("textarea", { id, rows: 4, maxlength: LONGEST_WORDS, placeholder: t("say.placeholder"), oninput: () => {
    kept.text = field.value;
    compare.disabled = !field.value.trim();
    keep();
  } });
  field.value = kept.text;
  const compare = pill(t("say.compare"), () => {
    kept.compared = true;
    keep();
    show();
    model.focus({ preventScroll: true });
  });
  compare.disabled = !kept.text.trim();
  const again = h("p.say-again");
  const boxes = points.map((point, at) => {
    const box = h("input", { type: "checkbox", onchange: () => {
      kept.points[at] = box.checked;
      keep();
      lead();
    } });
    box.checked = kept.points[at];
    return h("li", h("label", box, h("span", point)));
  });
  const model = h("section.say-model", { tabindex: -1, "aria-label": t("say.model") },
    h("h3", t("say.model")), answer.map((text) => h("p", text)),
    h("fieldset", h("legend", t("say.points")), h("ul", boxes)), again);
  const lead = () => {
    const missing = kept.points.filter((point) => !point).length;
    const said = missing === 0 ? t("say.all") : missing === points.length ? t("say.unticked") : countedText(t, "say.missing", missing);
    fill(again, said, " ",
      h("a", { href: page.href, target: "_self", "data-page": "lessons" }, page.title));
  };
  const show = () => {
    setHidden(model, !kept.compared);
    setHidden(compare, kept.compared);
    lead();
  };
  show();
  return h("li", { "data-say": name }, h("label", { for: id }, question), field, compare, model);
}
