"""Components of ours: what a module under `assets/` draws from the data that it is handed."""

from __future__ import annotations

import functools
from typing import Any

import streamlit as st

from bnviz.live.web.assets import VERSION
from bnviz.ui.sitemap import base_path

# An inline module is a blob: it has no address that `/assets/…` could be relative to.
LOADER = """
export default function (component) {
  const { base, version, module } = component.data;
  const address = new URL(`${base}/assets/${version}/${module}`, location.origin).href;
  const mounted = import(address).then((loaded) => loaded.default(component));
  return () => { mounted.then((cleanup) => cleanup && cleanup()); };
}
"""


@functools.cache
def component(name: str) -> Any:
    """What mounts a component of this name; its data has what `drawn_by` says."""
    return st.components.v2.component(f"bnviz.{name}", js=LOADER, isolate_styles=False)


def drawn_by(module: str) -> dict[str, str]:
    """The part of a component's data that says where its module is, by path under `assets/`."""
    return {"base": base_path(), "version": VERSION, "module": module}
