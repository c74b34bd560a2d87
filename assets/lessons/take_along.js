// Return two buttons: one saves the progress in the course as a file, and the other reads such a file.

import { button, h, setText } from "../live/lib/dom.js";
import { joinSentences } from "../live/lib/joining.js";
import { saveFile } from "../live/lib/save_file.js";
import { countedText } from "../live/lib/texts.js";
import { LARGEST_FILE, WrongFile, addFile, progressFile } from "./progress.js";

/**
 * @param t translator for the texts of the table `along`
 * @param onread called after a file has been read
 */
export function takeAlong(t, onread) {
  const status = h("span", { role: "status" });
  const chosen = h("input", { type: "file", accept: ".json,application/json", hidden: true, onchange: () => read(chosen, t, status, onread) });
  const save = button(t("along.save"), () => saveFile(new Blob([progressFile()], { type: "application/json" }), "bnviz-course.json"), { className: "bnviz-link" });
  const load = button(t("along.read"), () => chosen.click(), { className: "bnviz-link" });
  return h("p.lesson-along", save, load, chosen, status);
}

async function read(chosen, t, status, onread) {
  const [file] = chosen.files;
  chosen.value = ""; // so that the same file can be chosen again
  if (!file) return;
  try {
    if (file.size > LARGEST_FILE) throw new WrongFile("too_large", { most: Math.round(LARGEST_FILE / 1000) });
    const found = addFile(await file.text());
    const told = Object.entries(found).filter(([, count]) => count).map(([key, count]) => countedText(t, `along.${key}`, count));
    setText(status, joinSentences([t("along.done"), ...told]));
    onread();
  } catch (error) {
    if (!(error instanceof WrongFile)) throw error;
    const { allowed } = error.values;
    setText(status, t(`along.${error.key}`, { ...error.values, allowed: allowed && t(`along.allowed.${allowed}`) }));
  }
}
