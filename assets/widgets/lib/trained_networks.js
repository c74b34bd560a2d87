// Networks that were trained on the server and are evaluated on test images in the browser. They are fully connected,
// and use either the batch's own statistics or running averages. The computation is in float64, from float32 weights. A
// test compares it with the engine.

import { pill, setHidden, setText } from "../../live/lib/dom.js";

const ACTIVATIONS = { tanh: Math.tanh };

const asked = new Map(); // pending and finished requests by URL, so that each URL is fetched only once per page

/**
 * Fetch the networks with this name (bnviz/trained). @returns promise of `Trained`, which is rejected if the server
 * does not have these networks
 */
export function trainedNetworks(base, name) {
  const address = `${base ?? ""}/trained/${name}`;
  if (!asked.has(address)) {
    const coming = read(address);
    asked.set(address, coming);
    coming.catch(() => asked.delete(address)); // allow a retry
  }
  return asked.get(address);
}

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: HTTP ${answer.status}`);
  return new Trained(await answer.arrayBuffer());
}

/**
 * Networks that a widget has requested from the server. They are pending, loaded, or failed; if they failed, there is a
 * retry button.
 */
export class ComingNetworks {
  #widget;
  #oncome;
  #asked = null; // {base, network}
  #failed = false;
  #offered = false; // whether the retry button is shown; if it has the focus, it remains during a retry

  /**
   * @param widget widget that is redrawn whenever its text changes
   * @param oncome called once, with the networks (a `Trained`), when they have been loaded
   */
  constructor(widget, oncome) {
    this.#widget = widget;
    this.#oncome = oncome;
    this.trained = null;
    this.again = pill("", () => this.#failed && this.#ask());
  }

  /**
   * Request the networks once the widget is visible. Call this function at each drawing.
   * @returns text to show until the networks have been loaded, then null
   */
  awaited({ base, network }) {
    if (this.#widget.width && !this.#asked) {
      this.#asked = { base, network };
      this.#ask();
    }
    const { t } = this.#widget;
    setText(this.again, t("common.again"));
    setHidden(this.again, !this.#offered);
    return this.trained ? null : t(this.#failed ? "common.failed" : "common.waiting");
  }

  async #ask() {
    this.#failed = false;
    if (this.#offered) this.#widget.draw();
    try {
      this.trained = await trainedNetworks(this.#asked.base, this.#asked.network);
    } catch {
      this.#failed = true;
    }
    this.#offered = this.#failed;
    if (this.trained) this.#oncome(this.trained);
    this.#widget.draw();
  }
}

/**
 * Data written by bnviz/trained/packed.py. `images` [count · size]: the inputs of the networks, `count` images of
 * `size` numbers each. `labels` [count]. `steps`: number of training steps of the networks. `seed`: seed with which
 * they were trained.
 */
class Trained {
  #arrays = {};

  constructor(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    const numbers = new Float32Array(buffer, 4 + length);
    for (const [name, { shape, at }] of Object.entries(head.arrays)) {
      const size = shape.reduce((a, b) => a * b, 1);
      this.#arrays[name] = { shape, values: Float64Array.from(numbers.subarray(at, at + size)) };
    }
    this.steps = head.steps;
    this.seed = head.seed;
    [this.count, this.size] = this.#arrays.images.shape;
    this.images = this.#arrays.images.values;
    this.labels = [...this.#arrays.labels.values];
    this.mean = this.#arrays.input_mean.values;
    this.spread = this.#arrays.input_std.values;
    this.networks = Object.fromEntries(Object.entries(head.networks).map(([norm, given]) => [norm, this.#network(norm, given)]));
  }

  /** Return the images with these indices, concatenated. */
  rows(indices) {
    const found = new Float64Array(indices.length * this.size);
    indices.forEach((index, i) => found.set(this.images.subarray(index * this.size, (index + 1) * this.size), i * this.size));
    return found;
  }

  /** Return the pixels of an image, from 0 to 1. */
  pixels(index) {
    return Array.from({ length: this.size }, (_, i) => this.images[index * this.size + i] * this.spread[i] + this.mean[i]);
  }

  /**
   * Return all images as inputs of the networks, with each pixel p replaced by contrast · p + brightness, without
   * clipping.
   */
  changed(contrast, brightness) {
    return this.images.map((value, at) => {
      const [mean, spread] = [this.mean[at % this.size], this.spread[at % this.size]];
      return (contrast * (value * spread + mean) + brightness - mean) / spread;
    });
  }

  #network(norm, { depth, activation, eps }) {
    const part = (layer, name) => this.#arrays[`${norm}/${layer}.${name}`] ?? null;
    const layer = (name) => ({ ...matrix(part(name, "weight")), bias: part(name, "bias")?.values ?? null });
    const layers = Array.from({ length: depth }, (_, index) => {
      const name = `layer ${index + 1}`;
      const mean = part(name, "running_mean");
      const stored = mean && { mean: mean.values, variance: part(name, "running_var").values };
      return { ...layer(name), stored, gamma: part(name, "gamma")?.values ?? null, beta: part(name, "beta")?.values ?? null };
    });
    return new SmallNetwork({ layers, output: layer("output"), activation, eps });
  }
}

const matrix = ({ shape: [outputs, inputs], values }) => ({ outputs, inputs, weight: values });

class SmallNetwork {
  /**
   * @param given {layers: [{weight [outputs · inputs], outputs, inputs, bias, gamma, beta, stored: running averages
   * {mean, variance}, or null if the layer has no batch normalization}, …], output: {weight, outputs, inputs, bias},
   * activation, eps}
   */
  constructor(given) {
    Object.assign(this, given);
    this.classes = given.output.outputs;
    this.curve = ACTIVATIONS[given.activation];
  }

  /**
   * Return the logits of a batch.
   *
   * @param rows the examples, concatenated
   * @param own whether to use the batch's own statistics (training mode) or running averages (inference mode)
   * @returns [N · classes]
   */
  logits(rows, { own }) {
    const count = rows.length / this.layers[0].inputs;
    let values = rows;
    for (const layer of this.layers) {
      values = linear(layer, values, count);
      if (layer.stored) normalize(values, layer, this.eps, own ? statistics(values, layer.outputs) : layer.stored);
      for (let i = 0; i < values.length; i++) values[i] = this.curve(values[i]);
    }
    return linear(this.output, values, count);
  }

  /** Return the class with the highest logit for each example. */
  answers(rows, mode) {
    return highest(this.logits(rows, mode), this.classes);
  }

  /** Return the pre-activations of layer 1 for some examples, before the normalization: [N · units]. */
  received(rows) {
    const [first] = this.layers;
    return linear(first, rows, rows.length / first.inputs);
  }

  /**
   * Return the same network for inference, with each normalization folded into the preceding weights. The folded
   * weights are in float32 too.
   */
  folded() {
    const layers = this.layers.map((layer) => {
      if (!layer.stored) return layer;
      const { factor, shift } = foldedParts(layer, this.eps);
      const weight = layer.weight.map((value, at) => Math.fround(value * factor[Math.floor(at / layer.inputs)]));
      return { ...layer, weight, bias: shift.map(Math.fround), stored: null };
    });
    return new SmallNetwork({ ...this, layers });
  }
}

/**
 * Return the factors by which a layer's weights are multiplied when its normalization is folded into them, and the
 * resulting bias: [outputs] each.
 */
export function foldedParts({ outputs, gamma, beta, bias, stored }, eps) {
  const factor = Float64Array.from({ length: outputs }, (_, unit) => (gamma?.[unit] ?? 1) / Math.sqrt(stored.variance[unit] + eps));
  const shift = factor.map((value, unit) => (beta?.[unit] ?? 0) + value * ((bias?.[unit] ?? 0) - stored.mean[unit]));
  return { factor, shift };
}

/** Return the probabilities of the classes for one example: softmax of its logits. */
export function probabilities(logits) {
  const top = Math.max(...logits);
  const parts = Array.from(logits, (value) => Math.exp(value - top));
  const total = parts.reduce((a, b) => a + b, 0);
  return parts.map((part) => part / total);
}

/** Return, for each example, the index of its highest logit. Each example has `classes` logits. */
export function highest(logits, classes) {
  return Array.from({ length: logits.length / classes }, (_, n) => {
    let best = 0;
    for (let c = 1; c < classes; c++) if (logits[n * classes + c] > logits[n * classes + best]) best = c;
    return best;
  });
}

/**
 * Return a generator of pseudorandom numbers in [0, 1). The same seed always gives the same numbers. @returns function
 * that returns the next number
 */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Return the integers from 0 to count − 1 in random order. */
export function shuffled(count, random) {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

function linear({ weight, outputs, inputs, bias }, values, count) {
  const found = new Float64Array(count * outputs);
  for (let n = 0; n < count; n++) {
    const from = n * inputs;
    for (let unit = 0; unit < outputs; unit++) {
      const row = unit * inputs;
      let total = bias === null ? 0 : bias[unit];
      for (let i = 0; i < inputs; i++) total += weight[row + i] * values[from + i];
      found[n * outputs + unit] = total;
    }
  }
  return found;
}

/** Return the mean and the biased variance of each unit over a batch. @param values [N · units] */
export function statistics(values, units) {
  const count = values.length / units;
  const [mean, variance] = [new Float64Array(units), new Float64Array(units)];
  for (let i = 0; i < values.length; i++) mean[i % units] += values[i] / count;
  for (let i = 0; i < values.length; i++) variance[i % units] += (values[i] - mean[i % units]) ** 2 / count;
  return { mean, variance };
}

function normalize(values, { outputs, gamma, beta }, eps, { mean, variance }) {
  for (let i = 0; i < values.length; i++) {
    const unit = i % outputs;
    values[i] = ((gamma?.[unit] ?? 1) * (values[i] - mean[unit])) / Math.sqrt(variance[unit] + eps) + (beta?.[unit] ?? 0);
  }
}
