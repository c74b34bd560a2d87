"""The example notebook runs, and is stored without results."""

import os
import subprocess
import sys

import nbformat
import pytest

from tests.conftest import ROOT

NOTEBOOK = ROOT / "assets" / "notebook" / "bnviz.ipynb"
FIGURE = "application/vnd.plotly.v1+json"
# Run a notebook, and write it with its results. It runs in a process of its own, because its client
# leaves sockets open. The kernel is reached by files in the current folder, not by ports.
PROGRAM = """
import sys, nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
kernel = AsyncKernelManager(transport="ipc", ip="kernel")
NotebookClient(notebook, km=kernel, timeout=200).execute()
nbformat.write(notebook, sys.argv[2])
"""
# Folders of Jupyter outside the test.
FOLDERS = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")


@pytest.fixture
def notebook():
    return nbformat.read(NOTEBOOK, as_version=4)


def test_the_stored_notebook_is_short_and_has_no_results(notebook):
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert 8 <= len(code) <= 15
    assert [cell.id for cell in code if cell.outputs or cell.execution_count] == []
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


def test_every_cell_runs_and_shows_what_the_text_says(tmp_path):
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, NOTEBOOK, "run.ipynb"], cwd=tmp_path, text=True,
        env={**os.environ, "PYTHONPATH": paths, **dict.fromkeys(FOLDERS, str(tmp_path))},
        capture_output=True, timeout=300,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    notebook = nbformat.read(tmp_path / "run.ipynb", as_version=4)
    shown = {
        cell.id: output.data for cell in notebook.cells if cell.cell_type == "code"
        for output in cell.outputs if output.output_type != "stream"
    }  # fmt: skip
    figures = {name for name, data in shown.items() if FIGURE in data}
    assert figures == {"loss", "hills", "jacobian", "raise", "broken"}
    assert "without BN" in str(shown["loss"][FIGURE])
    assert shown["table"]["text/plain"].count("learning") == 6
    assert "layer" in shown["reason"]["text/plain"]
    assert "10.00" in shown["sweep"]["text/plain"]
