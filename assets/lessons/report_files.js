// Finds the block of numbers in the file of a report, a page or Markdown. Nothing of a file is shown or run: the
// block is the only thing that is taken out of it, as text.

import { reports } from "../contract.js";

export const LARGEST = 8_000_000; // bytes of a file: a page with a dozen charts has a fifth of it
const IN_PAGE = /<script type="application\/json" id="bnviz-report">([^<]*)<\/script>/g;
const IN_MARKDOWN = /^```json\r?\n(\{"bnviz":"report",[^\r\n]*\})\r?\n```/gm;

/** The block in a file, as text; null where there is none, or one that is too long to be ours. */
export function reportBlock(text) {
  const found = [...text.matchAll(IN_PAGE), ...text.matchAll(IN_MARKDOWN)].at(-1)?.[1];
  return found && found.length <= reports.longest_report ? found : null;
}

/**
 * The blocks of files, in their order.
 *
 * @param files of an input, or dropped
 * @returns {taken: [{name, text}], problems: [[key of `collect.toml`, values]]}
 */
export async function readReports(files) {
  const taken = [];
  const problems = [];
  if (files.length > reports.most_handed_in) problems.push(["too_many", { count: files.length, most: reports.most_handed_in }]);
  for (const file of [...files].slice(0, reports.most_handed_in)) {
    if (file.size > LARGEST) {
      problems.push(["too_large", { file: file.name, value: Math.ceil(file.size / 1000), most: LARGEST / 1000 }]);
      continue;
    }
    const text = await file.text().catch(() => "");
    const block = reportBlock(text);
    if (block) taken.push({ name: file.name.slice(0, 120), text: block });
    else problems.push(["no_report", { file: file.name, value: `“${text.slice(0, 20).replace(/\s+/g, " ")}…”` }]);
  }
  return { taken, problems };
}
