"""Only one function knows where the code and the site are, in a clone and installed."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bnviz.locations import locations
from tests.conftest import ROOT

# Attributes of a path that leave the folder of the file itself, or its parent.
UPWARDS = ("parents",)
# Functions that find the package's folder without `__file__`.
OTHER_WAYS = ("find_spec", "getsourcefile", "getfile", "files")


def other_computations(source: str) -> list[str]:
    """Return the expressions that find a folder above the file's own folder."""
    found = []
    for node in ast.walk(ast.parse(source)):
        text = ast.unparse(node) if isinstance(node, ast.Attribute | ast.Call) else ""
        above = isinstance(node, ast.Attribute) and (
            node.attr in UPWARDS
            or (node.attr == "parent" and ".parent" in ast.unparse(node.value))
            or (node.attr == "__file__")
        )
        called = isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in OTHER_WAYS
        if above or (called and "bnviz" in text):
            found.append(text)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            parts = node.value.split("/")
            if ".." in parts and "__file__" in source:
                found.append(repr(node.value))
    return found


def test_no_other_module_computes_the_root():
    files = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "bnviz").rglob("*.py")]
    own = ROOT / "bnviz" / "locations.py"
    faults = {
        file.relative_to(ROOT).as_posix(): found
        for file in files
        if file != own and (found := other_computations(file.read_text("utf-8")))
    }
    assert len(files) > 400
    assert faults == {}


def test_other_computations_would_be_found():
    for code in (
        "ROOT = Path(__file__).resolve().parents[2]",
        "ROOT = Path(__file__).parent.parent",
        "ROOT = Path(__file__).resolve().parent.resolve().parent",
        "ROOT = Path(bnviz.__file__).parent",
        "ROOT = Path(__file__, '../../assets')",
        "ROOT = importlib.resources.files('bnviz')",
        "ROOT = Path(find_spec('bnviz').origin)",
    ):
        assert other_computations(code), code
    assert other_computations("FILE = Path(__file__).resolve().with_name('measured.json')") == []
    assert other_computations("FOLDER = Path(__file__).parent") == []


def test_a_clone_has_its_site_beside_the_package():
    here = locations()
    assert (here.code, here.site, here.is_clone) == (ROOT, ROOT, True)
    assert here.assets == ROOT / "assets"


def test_an_installed_package_has_its_site_inside_and_is_not_changed(tmp_path: Path):
    """Commands that write recorded measurements refuse before they measure."""
    package = tmp_path / "bnviz"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "bnviz", package, ignore=ignored)
    (package / "site").mkdir()
    shutil.copytree(ROOT / "assets" / "texts", package / "site" / "assets" / "texts")
    shutil.copytree(ROOT / "assets" / "data", package / "site" / "assets" / "data")
    code = """if True:
        from bnviz.__main__ import main
        from bnviz.locations import child_environment, locations
        here = locations()
        print(here.code, here.site, here.is_clone, child_environment().get("PYTHONPATH"))
        print(main(["texts", "--take"]), main(["rates"]))
        print(main(["record", "first-five-minutes", "--keep", "--out", "talk.html"]))
    """
    # `PYTHONPATH` is how this test finds the package. An installed package needs none.
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
        env={name: text for name, text in os.environ.items() if name != "PYTHONPATH"},
    )  # fmt: skip
    assert found.stdout.splitlines() == [
        f"{tmp_path} {package / 'site'} False None", "2 2", "2",
    ]  # fmt: skip
    refusals = [line for line in found.stderr.splitlines() if "a clone of the repository" in line]
    assert len(refusals) == 3, found.stderr
    assert list(tmp_path.iterdir()) == [package]
