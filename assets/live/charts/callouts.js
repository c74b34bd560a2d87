// Words that point at the layer in which a network broke, over the figure: bindings of kind "callout".

import { h, setHidden, setText } from "../lib/dom.js";
import { capitalize } from "../lib/texts.js";

const NUMBERED = /^(?:layer|time) (\d+)$/; // as the engine names a layer
const DISC = 20; // px, the layer's number beside its row
const ASIDE = 5; // px from the column's edge
const LEAST = 320; // px of a column in which the words have room
const TWO_LINES = 42; // px of a row in which two lines of them have

export class Callouts {
  #patcher;
  #parts;

  /** @param frame the positioned element around the figure */
  constructor(frame, patcher, spec) {
    this.#patcher = patcher;
    this.#parts = spec.bindings.filter(({ kind }) => kind === "callout").map((binding) => {
      const words = h("span", { class: "bnviz-callout", hidden: true });
      const disc = h("b", { class: "bnviz-callout-number", hidden: true });
      frame.append(words, disc);
      return { binding, words, disc, looks: "", width: 0 };
    });
  }

  /**
   * @param frame the one shown
   * @param colours {text} by norm
   * @param quiet whether the layer is what a class is asked
   */
  draw(frame, colours, quiet) {
    for (const part of this.#parts) {
      const { binding, words, disc } = part;
      const found = quiet ? null : brokenRow(binding, frame);
      const across = this.#patcher.axisNamed(binding.x);
      const down = this.#patcher.axisNamed(binding.y);
      const shown = Boolean(found && across?._length);
      setHidden(words, !shown || across._length < LEAST);
      setHidden(disc, !shown);
      if (!shown) continue;
      // Rows that are lower than two lines of words get them in one.
      const low = Math.abs(down.d2p(1) - down.d2p(0)) < TWO_LINES;
      const { number } = found;
      const two = capitalize(found.words);
      const text = low ? two.replace("\n", " ") : two;
      setText(words, text);
      const looks = `${text} ${across._length}`;
      if (looks !== part.looks) Object.assign(part, { looks, width: words.offsetWidth });
      setText(disc, String(number));
      const colour = colours[binding.network]?.text ?? "";
      for (const element of [words, disc]) element.style.setProperty("--colour", colour);
      const y = down._offset + down.d2p(number);
      // Beside the row; where a column is so narrow that its neighbour's numbers stand there, in it.
      const beside = across._length >= LEAST || part === this.#parts[0];
      disc.style.translate = `${across._offset + (beside ? -DISC - 4 : 2)}px ${y - DISC / 2}px`;
      const free = freeSide(frame.field(binding.field), number - 1, (part.width + ASIDE) / across._length);
      const left = free === "left" ? across._offset + ASIDE : across._offset + across._length - ASIDE - part.width;
      words.style.translate = `${left}px calc(${y}px - 50%)`;
    }
  }
}

/** The row in which a network broke, from 1, and what is said of it; null: none is known. */
export function brokenRow({ network, rows, words }, frame) {
  const broke = frame.networks[network]?.broke;
  const number = Number(NUMBERED.exec(broke?.layer ?? "")?.[1]);
  const name = number ? rows[number - 1] : undefined;
  const said = words[broke?.key];
  return name && said ? { number, words: said.replace("{layer}", name) } : null;
}

/** On which side of a row of a histogram words of a share of its width cover less of it. */
function freeSide(histogram, row, share) {
  if (!histogram) return "left";
  const bins = histogram.shape.at(-1);
  const counts = [...histogram.data.subarray(row * bins, (row + 1) * bins)];
  const covered = Math.ceil(share * bins);
  const sum = (values) => values.reduce((all, count) => all + count, 0);
  return sum(counts.slice(0, covered)) <= sum(counts.slice(-covered)) ? "left" : "right";
}
