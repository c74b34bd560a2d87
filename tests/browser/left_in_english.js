// Return all visible or spoken texts that contain four ASCII letters in a row. `terms` is a pattern of Latin text that
// is allowed.
([exempt, allowed, terms]) => {
  const plain = /[A-Za-z]{4,}/g, found = new Set();
  const seen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const judge = (text, element, what) => {
    const words = (text.replace(/https?:\S+/g, "").replace(terms ? new RegExp(terms, "g") : /^$/, "").match(plain) ?? []).filter((word) => !allowed.includes(word));
    if (words.length) found.add(`${what} of ${name(element)}: ${text.trim().slice(0, 120)}`);
  };
  const name = (element) => {
    const own = [element.tagName.toLowerCase(), ...element.classList].slice(0, 3).join(".");
    const test = element.closest("[data-testid]")?.dataset.testid ?? "";
    return `${own} in ${test}`;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (element && !element.closest(exempt) && seen(element)) judge(texts.currentNode.data, element, "text");
  }
  for (const attribute of ["aria-label", "title", "placeholder", "alt", "aria-valuetext"]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      // Streamlit labels the sidebar in English. Only the contents of the sidebar belong to the app.
      if (element.matches("[data-testid=stSidebar]") || element.closest(exempt) || !seen(element)) continue;
      judge(element.getAttribute(attribute), element, attribute);
    }
  }
  judge(document.title, document.documentElement, "title");
  return [...found];
}
