// Return all elements that are wider than their space and cannot be scrolled.
(exempt) => {
  const found = [], root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`the page: ${root.scrollWidth} px of ${root.clientWidth}`);
  // On a phone, the collapsed sidebar remains in the page with a width of a few pixels.
  const folded = (element) => (element.closest("[data-testid=stSidebar]")?.clientWidth ?? 1000) < 100;
  const kinds = "button, a, label, summary, th, td, h1, h2, h3, h4, h5, h6, p, li, legend, [class*=bnviz-card], [class*=bnviz-pill]";
  for (const element of document.querySelectorAll(kinds)) {
    // Content for screen readers only is one pixel wide.
    if (element.closest(exempt) || !element.checkVisibility() || element.clientWidth <= 1 || folded(element)) continue;
    const { overflowX, textOverflow } = getComputedStyle(element);
    if (["auto", "scroll"].includes(overflowX) || textOverflow === "ellipsis") continue;
    if (element.scrollWidth > element.clientWidth + 1) {
      const own = [element.tagName.toLowerCase(), ...element.classList].slice(0, 3).join(".");
      found.push(`${own} (${element.scrollWidth} px of ${element.clientWidth}): ${element.textContent.trim().slice(0, 80)}`);
    }
  }
  return [...new Set(found)];
}
