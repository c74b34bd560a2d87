"""Mounts components: each is a module under `assets/` that draws in the browser.

Streamlit is given a few lines of script for each, which import that module.
"""

from __future__ import annotations

import functools
from typing import Any

import streamlit as st

from bnviz.live.web.assets import VERSION
from bnviz.ui.sitemap import base_path
from bnviz.words.texts import ENGLISH, current_language, texts

# An inline module is a blob: it has no address that `/assets/…` could be relative to.
LOADER = """
export default function (component) {
  const { base, version, module, joins } = component.data;
  globalThis.bnvizJoins = joins;
  const address = new URL(`${base}/assets/${version}/${module}`, location.origin).href;
  const mounted = import(address).then((loaded) => loaded.default(component), (error) => {
    FAILED
    throw error;
  });
  return () => { mounted.then((cleanup) => cleanup && cleanup()); };
}
"""


@functools.cache
def component(name: str, *, state_if_failed: str = "") -> Any:
    """A function that mounts a component; its data has what `drawn_by` returns.

    Args:
        name: of the component.
        state_if_failed: a state that becomes true where the module cannot be loaded.
    """
    failed = f'component.setStateValue("{state_if_failed}", true);' if state_if_failed else ""
    script = LOADER.replace("FAILED", failed)
    return st.components.v2.component(f"bnviz.{name}", js=script, isolate_styles=False)


def drawn_by(module: str) -> dict[str, Any]:
    """The part of a component's data that says which module draws it, by path under `assets/`.

    Where the page is not in English it says how its language joins words, too.
    """
    drawn: dict[str, Any] = {"base": base_path(), "version": VERSION, "module": module}
    if current_language() != ENGLISH:
        language = texts("language")
        drawn["joins"] = {**language["join"], "plural": language["plural"]}
    return drawn
