// Browser channel between a presentation view and the window with its notes. Each tab with a presentation view has its
// own channel.

import { readFromTab, storeInTab } from "./storage.js";

const KEY = "bnviz-notes"; // key in the tab's storage

/** Name of the channel of the tab with this token. */
export function channelName(token) {
  return `bnviz-notes-${token}`;
}

/** Token of this tab, which stays the same when the page is reloaded. */
export function tabToken() {
  const token = readFromTab(KEY) ?? Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  storeInTab(KEY, token);
  return token;
}
