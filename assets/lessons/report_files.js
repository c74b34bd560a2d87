// Extraction of the JSON block from a report file (HTML or Markdown). The block is read as text, and no other part of
// the file is shown or executed.

import { reports } from "../contract.js";

// maximum file size in bytes; a page with a dozen charts has about a fifth of this size
export const LARGEST = 8_000_000;
const IN_PAGE = /<script type="application\/json" id="bnviz-report">([^<]*)<\/script>/g;
const IN_MARKDOWN = /^```json\r?\n(\{"bnviz":"report",[^\r\n]*\})\r?\n```/gm;

/** Return the JSON block of a file as text, or null if there is none or it is too long. */
export function reportBlock(text) {
  const found = [...text.matchAll(IN_PAGE), ...text.matchAll(IN_MARKDOWN)].at(-1)?.[1];
  return found && found.length <= reports.longest_report ? found : null;
}

/**
 * Return the JSON blocks of the files, in the order of the files.
 *
 * @param files from a file input or a drop
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
