// A frame: the measurements of every network at one step. Arrays arrive in Plotly's typed form,
// {"dtype": "f4", "bdata": base64, "shape": "6,64"}, and are decoded when they are first read.

export class Frame {
  #arrays;
  #decoded = new Map();

  /**
   * @param message a "frame" message
   * @param older the previous frame, which provides the arrays that are missing in this frame, or null if this frame is
   * complete
   */
  constructor(message, older = null) {
    this.seq = message.seq;
    this.step = message.step;
    this.networks = message.networks ?? {};
    this.changes = message.changes ?? [];
    this.#arrays = message.arrays ?? {};
    if (older) this.#fillFrom(older);
  }

  /**
   * Take over from the older frame the arrays that were not measured again, together with the step at which each was
   * measured.
   */
  #fillFrom(older) {
    for (const [name, spec] of Object.entries(older.#arrays)) {
      const [norm, probe] = name.split(".");
      if (name in this.#arrays || !(norm in this.networks)) continue;
      this.#arrays[name] = spec;
      const network = this.networks[norm];
      network.measured_at = { [probe]: older.measuredAt(name), ...network.measured_at };
      if (older.#decoded.has(name)) this.#decoded.set(name, older.#decoded.get(name));
    }
  }

  /**
   * Return a field such as "none.test_loss" or "none.percentiles.unit" as {data, shape}, or null if it was not
   * measured.
   */
  field(name) {
    if (this.#decoded.has(name)) return this.#decoded.get(name);
    const [norm, scalar, array] = name.split(".");
    const value = decode(array ? this.#arrays[name] : this.networks[norm]?.[scalar]);
    this.#decoded.set(name, value);
    return value;
  }

  /** Return the step at which a field was measured. */
  measuredAt(name) {
    const [norm, probe, value] = name.split(".");
    if (value === undefined) return this.step;
    return this.networks[norm]?.measured_at?.[probe] ?? this.step;
  }
}

const TYPES = {
  i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array,
  i4: Int32Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array,
};

function bytes(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

/**
 * Decode an array to {data, shape}. A plain array or a number is converted to f8 (64-bit floats). For null and
 * undefined, return null.
 */
export function decode(spec) {
  if (spec === null || spec === undefined) return null;
  if (typeof spec !== "object") return { data: Float64Array.of(Number(spec)), shape: [] };
  if (Array.isArray(spec)) return { data: Float64Array.from(spec, Number), shape: [spec.length] };
  const raw = bytes(spec.bdata);
  const Type = TYPES[spec.dtype];
  const data = new Type(raw.buffer, raw.byteOffset, raw.byteLength / Type.BYTES_PER_ELEMENT);
  const shape = spec.shape ? String(spec.shape).split(",").map(Number) : [data.length];
  return { data, shape };
}

/**
 * Parse an index such as ":,1", "1:" or "3,$unit".
 *
 * @param selectors chosen options by name, which replace "$unit" and "$layer"
 * @returns array whose entries are integers, ":" (all) or "n:" (from n on); null for the whole array
 */
export function parseIndex(index, selectors = {}) {
  if (!index) return null;
  return index.split(",").map((part) => {
    if (part.endsWith(":")) return part;
    return Number(part.startsWith("$") ? selectors[part.slice(1)] : part);
  });
}

/** Return a copy of a slice of an array. The copy keeps each axis that has no index or has the index ":" or "n:". */
export function slice(array, index) {
  if (!array || !index) return array;
  const { data, shape } = array;
  const kept = [];
  let offset = 0;
  let stride = data.length;
  shape.forEach((size, axis) => {
    stride /= size;
    const part = axis < index.length ? index[axis] : ":";
    if (typeof part === "string") {
      const first = Math.min(Number(part.slice(0, -1)), size);
      kept.push({ size: size - first, stride });
      offset += first * stride;
    } else offset += (part < 0 ? part + size : Math.min(part, size - 1)) * stride;
  });
  const length = kept.reduce((product, axis) => product * axis.size, 1);
  const out = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    let rest = i;
    let at = offset;
    for (let axis = kept.length - 1; axis >= 0; axis--) {
      at += (rest % kept[axis].size) * kept[axis].stride;
      rest = Math.floor(rest / kept[axis].size);
    }
    out[i] = data[at];
  }
  return { data: out, shape: kept.map((axis) => axis.size) };
}

/**
 * Read a field of a frame for a binding or a table column.
 *
 * @param spec {field, index: index into the field, over: field by which the result is divided}
 * @returns {data, shape}, or null if the field or the field `over` was not measured
 */
export function readField(frame, { field, index, over }, selectors) {
  const found = slice(frame.field(field), parseIndex(index, selectors));
  if (!over || !found) return found;
  const divisor = frame.field(over)?.data[0];
  return divisor === undefined ? null : { data: found.data.map((value) => value / divisor), shape: found.shape };
}

/** Return the rows of a matrix, as views of its data. */
export function rows({ data, shape }) {
  const width = shape.at(-1);
  const out = [];
  for (let start = 0; start < data.length; start += width) out.push(data.subarray(start, start + width));
  return out;
}
