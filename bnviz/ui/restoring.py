"""*Restore this preset*: every knob back to the preset's, or the watched claim's."""

from __future__ import annotations

from bnviz.config import KNOBS, ConfigError, RunConfig
from bnviz.live import LiveError, current_hub
from bnviz.phrase import told
from bnviz.presets import PRESETS
from bnviz.ui.claims.measured import watchable
from bnviz.ui.lab import Lab
from bnviz.ui.query import read_query

# A run in these states still takes live knobs.
GOES_ON = ("running", "paused")


def home_of(lab: Lab) -> RunConfig:
    """The knobs to which *Restore* leads: those of the preset, or of the claim watched."""
    claim = lab.page.claim
    if claim is not None and watchable()[claim].query:
        return read_query({"claim": claim}).config
    return PRESETS[lab.page.preset].config()


def restore(lab: Lab) -> None:
    """Put every knob back to the preset's, the seed too.

    Where only live knobs moved they act on the run, which goes on; anything else starts over.
    Where nothing moved, or the run has come to its end, it starts anew.
    """
    lab.notices = []
    info, home = lab.catch_up(), home_of(lab)
    moved = {
        name: getattr(home, name)
        for name in KNOBS
        if getattr(home, name) != getattr(lab.config, name)
    }
    goes_on = info is not None and info.status in GOES_ON
    if not (moved and goes_on and all(KNOBS[name].live for name in moved)):
        if lab.start(home, entry=True):
            lab.notify("restored" if moved else "restored_anew")
        return
    try:
        current_hub().change(lab.owner, lab.run, **moved)
    except (LiveError, ConfigError) as error:
        lab.notify("refused", message=told(error))
        return
    lab.config = home
    lab.notify("restored_live")
