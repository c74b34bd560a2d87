"""Streamlit components: short loader scripts that import modules under `assets/`."""

from __future__ import annotations

import functools
from typing import Any

import streamlit as st

from bnviz.live.web.assets import VERSION
from bnviz.ui.sitemap import base_path
from bnviz.words.texts import ENGLISH, current_language, texts

# JavaScript of every component. Its import needs an absolute address, because an inline module is
# loaded from a blob, against which `/assets/…` cannot be resolved.
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
    """Return a function that mounts a component, whose data must include the result of `drawn_by`.

    If the module cannot be loaded, the component sets the state `state_if_failed` to true.
    """
    failed = f'component.setStateValue("{state_if_failed}", true);' if state_if_failed else ""
    script = LOADER.replace("FAILED", failed)
    return st.components.v2.component(f"bnviz.{name}", js=script, isolate_styles=False)


def drawn_by(module: str) -> dict[str, Any]:
    """Data with the path of a component's module and, except in English, list and plural rules."""
    drawn: dict[str, Any] = {"base": base_path(), "version": VERSION, "module": module}
    if current_language() != ENGLISH:
        language = texts("language")
        drawn["joins"] = {**language["join"], "plural": language["plural"]}
    return drawn
