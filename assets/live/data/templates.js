// The charts' templates, which the page only names: each set is loaded once.

const WAITS = [300, 1000, 3000]; // ms before each further try
const MOST = 8; // sets remembered
const loading = new Map(); // by address, the newest last

/** @returns promise of {main, more}: the charts of a page, rejected when they cannot be had */
export function loadTemplates(base, id) {
  const address = `${base}/templates/${id}.json`;
  const found = loading.get(address) ?? load(address);
  loading.delete(address);
  loading.set(address, found);
  if (loading.size > MOST) loading.delete(loading.keys().next().value);
  found.catch(() => loading.delete(address));
  return found;
}

async function load(address) {
  for (const wait of [...WAITS, null]) {
    const answer = await fetch(address).catch(() => null);
    if (answer?.ok) return answer.json();
    if (wait !== null) await new Promise((resolve) => setTimeout(resolve, wait));
  }
  throw new Error(`The charts could not be loaded from ${address}`);
}
