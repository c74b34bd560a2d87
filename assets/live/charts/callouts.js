// Words that point at the layer in which a network broke, over the figure: bindings of kind "callout".

import { h, setHidden, setText } from "../lib/dom.js";
import { capitalize } from "../lib/texts.js";

const NUMBERED = /^(?:layer|time) (\d+)$/; // as the engine names a layer
const DISC = 20; // px, the layer's number beside its row
const ASIDE = 5; // px from the column's edge
const LEAST = 320; // px of a column in which the words are no more than two lines

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
      return { binding, words, disc };
    });
  }

  /**
   * @param networks what the frame shown says of them, by norm
   * @param colours {text} by norm
   * @param quiet whether the layer is what a class is asked
   */
  draw(networks, colours, quiet) {
    for (const { binding, words, disc } of this.#parts) {
      const broke = networks[binding.network]?.broke;
      const number = quiet ? null : Number(NUMBERED.exec(broke?.layer ?? "")?.[1]);
      const name = number ? binding.rows[number - 1] : undefined;
      const said = binding.words[broke?.key];
      const across = this.#patcher.axisNamed(binding.x);
      const down = this.#patcher.axisNamed(binding.y);
      const shown = Boolean(name && said && across?._length);
      setHidden(words, !shown || across._length < LEAST);
      setHidden(disc, !shown);
      if (!shown) continue;
      setText(words, capitalize(said.replace("{layer}", name)));
      setText(disc, String(number));
      const colour = colours[binding.network]?.text ?? "";
      for (const element of [words, disc]) element.style.setProperty("--colour", colour);
      const y = down._offset + down.d2p(number);
      disc.style.translate = `${across._offset - DISC - 4}px ${y - DISC / 2}px`;
      words.style.translate = `${across._offset + ASIDE}px calc(${y}px - 50%)`;
      words.style.maxWidth = `${across._length * 0.3}px`;
    }
  }
}
