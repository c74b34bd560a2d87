"""Cells trained on a device, all at once."""

from __future__ import annotations

from collections.abc import Sequence

from bnviz.pieces import Pieces
from bnviz.sweeps.cells import Cell, Outcome
from bnviz.sweeps.stack_sizes import into_stacks
from bnviz.sweeps.stacks import Build, at_once, run_stack


def run_on_device(
    cells: Sequence[Cell], build: Build = at_once, *, pool: object | None = None
) -> Pieces[list[Outcome]]:
    """Run cells to their last step; their outcomes, in their order.

    Args:
        cells: of any shapes, mini-batch sizes and seeds; `fits_device` holds for each.
        build: loads the data and makes the networks.
        pool: memory of recorded steps, as `torch.cuda.graph_pool_handle` gives it; None for memory
            of their own.
    """
    done: dict[Cell, Outcome] = {}
    for stack in into_stacks(cells):
        done.update(zip(stack, (yield from run_stack(stack, build)), strict=True))
    return [done[cell] for cell in cells]
