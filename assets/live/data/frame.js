// One frame: numbers of every network at one step, arrays decoded when first asked for.

import { decode } from "./typed_arrays.js";

export class Frame {
  #arrays;
  #decoded = new Map();

  /** @param message a "frame" message; @param older the frame it completes, where it is a patch */
  constructor(message, older = null) {
    this.seq = message.seq;
    this.step = message.step;
    this.networks = message.networks ?? {};
    this.changes = message.changes ?? [];
    this.#arrays = message.arrays ?? {};
    if (older) this.#complete(older);
  }

  /** A live frame may leave out what was not measured again; that stays as it was, age and all. */
  #complete(older) {
    for (const [name, spec] of Object.entries(older.#arrays)) {
      const [norm, probe] = name.split(".");
      if (name in this.#arrays || !(norm in this.networks)) continue;
      this.#arrays[name] = spec;
      const network = this.networks[norm];
      network.measured_at = { [probe]: older.measuredAt(name), ...network.measured_at };
      if (older.#decoded.has(name)) this.#decoded.set(name, older.#decoded.get(name));
    }
  }

  /** A number of a network: "none.test_loss". NaN where there is none. */
  scalar(norm, name) {
    const value = this.networks[norm]?.[name];
    return value === null || value === undefined ? NaN : Number(value);
  }

  /** A field, "none.test_loss" or "none.percentiles.unit", as {data, shape}; null where absent. */
  field(name) {
    if (this.#decoded.has(name)) return this.#decoded.get(name);
    const [norm, ...rest] = name.split(".");
    let value = null;
    if (name in this.#arrays) value = decode(this.#arrays[name]);
    else if (rest.length === 1 && (this.networks[norm]?.[rest[0]] ?? null) !== null) {
      value = { data: Float64Array.of(this.scalar(norm, rest[0])), shape: [] };
    }
    this.#decoded.set(name, value);
    return value;
  }

  /** The step at which a field was measured. */
  measuredAt(name) {
    const [norm, probe, value] = name.split(".");
    if (value === undefined) return this.step;
    return this.networks[norm]?.measured_at?.[probe] ?? this.step;
  }

  /** Names of all arrays in the frame. */
  arrayNames() {
    return Object.keys(this.#arrays);
  }
}
