// Typed arrays as they travel: {"dtype": "f4", "bdata": base64, "shape": "6,64"}, and slices of them.

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

/** Decode to {data, shape}; a plain array or number passes as f8. */
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
 * Parse an index: ":,1", "1:", "3,$unit", [2, "$unit"] or null, with selectors filled in.
 *
 * @returns array of whole numbers, ":" and "n:" (from n on), or null for everything
 */
export function parseIndex(index, selectors = {}) {
  if (index === null || index === undefined || index === "") return null;
  const parts = Array.isArray(index) ? index : String(index).split(",");
  return parts.map((part) => {
    const text = String(part).trim();
    if (text.endsWith(":")) return text;
    return text.startsWith("$") ? Number(selectors[text.slice(1)] ?? 0) : Number(text);
  });
}

/** Take a slice; the result keeps the axes given as ":" or "n:" and those not named. */
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

/** What a binding or a column asks of a frame: a part of a field, divided by another where it says so. */
export function readField(frame, { field, index, over }, selectors) {
  const found = slice(frame.field(field), parseIndex(index, selectors));
  if (!over || !found) return found;
  const whole = frame.field(over)?.data[0];
  return whole === undefined ? null : { data: found.data.map((value) => value / whole), shape: found.shape };
}

/** The rows of a matrix as views. */
export function rows({ data, shape }) {
  const width = shape.at(-1);
  const out = [];
  for (let start = 0; start < data.length; start += width) out.push(data.subarray(start, start + width));
  return out;
}
