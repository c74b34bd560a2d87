// Knobs that are found by a word: of its name, its field, its help, its choices, or another word for it.

/** A text as it is compared: small letters without accents. */
function plainly(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
}

/**
 * The knobs that a person means: those that are called so; where none is, those of which it is said.
 *
 * @param entries [{names, help}]
 * @param query what was typed; every word of it is to be there
 */
export function foundBy(entries, query) {
  const wanted = plainly(query).split(/\s+/).filter(Boolean);
  const has = (text) => wanted.every((word) => plainly(text).includes(word));
  const called = entries.filter(({ names }) => has(names));
  return called.length ? called : entries.filter(({ names, help }) => has(`${names} ${help}`));
}
