"""Rules of the browser's modules: imports lead somewhere, point one way, run in no circle."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

from bnviz.ui.lesson_widgets import WIDGETS

ASSETS = Path(__file__).resolve().parents[1] / "assets"
FOLDERS = ("live", "claims", "classroom", "map", "widgets")
PHONE = ASSETS / "classroom" / "phone"  # scripts that stand in the pages of phones
FILES = sorted(
    [*ASSETS.glob("*.js"), *(path for name in FOLDERS for path in (ASSETS / name).rglob("*.js")
                             if path.parent != PHONE)]
)  # fmt: skip
MODULES = [path.relative_to(ASSETS).as_posix() for path in FILES]
# What each room may import, besides itself. What stands in no room joins them all.
ROOMS: dict[str, set[str]] = {
    "lib": set(),
    "data": {"lib"},
    "charts": {"data", "lib"},
    "classroom": {"data", "dialogs", "lib"},
    "knobs": {"data", "lib"},
    "panels": {"data", "lib"},
    "stage": {"data", "knobs", "lib"},
    "dialogs": {"charts", "data", "lib"},
    "by_hand": {"lib"},
}
IMPORT = re.compile(
    r'^import (?:\{(?P<names>[^}]*)\} from )?"(?P<fixed>[^"]+)";|\bimport\("(?P<late>[^"]+)"\)',
    re.MULTILINE,
)
EXPORT = re.compile(r"^export (?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


def imports(module: str) -> dict[str, set[str]]:
    """What a module imports: names by the path, under `assets/`, of where they come from."""
    path = ASSETS / module
    found: dict[str, set[str]] = {}
    for match in IMPORT.finditer(path.read_text(encoding="utf-8")):
        address = match["fixed"] or match["late"]
        assert address.startswith("."), f"{module} imports {address}, which is none of ours"
        target = Path(path.parent, address).resolve().relative_to(ASSETS).as_posix()
        names = {name.split(" as ")[0].strip() for name in (match["names"] or "").split(",")}
        found.setdefault(target, set()).update(names - {""})
    return found


def room(module: str) -> str | None:
    """`classroom`, or the folder under `live/` or `widgets/`; None: a module stands in none."""
    parts = Path(module).parts
    return "classroom" if parts[0] == "classroom" else parts[1] if len(parts) == 3 else None


def test_every_line_of_import_is_understood():
    for module in MODULES:
        text = (ASSETS / module).read_text(encoding="utf-8")
        begun = len(re.findall(r"^import\b(?!\()", text, re.MULTILINE))
        assert begun == sum(1 for match in IMPORT.finditer(text) if match["fixed"]), module


def test_every_module_stands_in_a_known_room():
    assert {room(module) for module in MODULES} == {*ROOMS, None}
    assert all(len(Path(module).parts) <= 3 for module in MODULES)


def test_what_is_imported_is_there():
    for module in MODULES:
        for target, names in imports(module).items():
            assert target in MODULES, f"{module} imports {target}"
            exported = set(EXPORT.findall((ASSETS / target).read_text(encoding="utf-8")))
            assert names <= exported, f"{target}, for {module}, has no {names - exported}"


def test_rooms_import_one_way():
    for module in MODULES:
        if (here := room(module)) is None:
            continue
        for target in imports(module):
            assert room(target) in {here, *ROOMS[here]}, f"{module} imports {target}"


def test_no_module_imports_itself_by_way_of_others():
    TopologicalSorter({module: imports(module) for module in MODULES}).prepare()  # else CycleError


def test_every_module_is_part_of_what_a_page_mounts_or_begins_with():
    widgets = [entry.module for entry in WIDGETS.values()]
    begun = [
        "live_view.js",
        "live_knobs.js",
        "knob_drawer.js",
        "claims.js",
        "map.js",
        "page_links.js",
        "language_menu.js",
        "lessons.js",
    ]
    reached, waiting = set(), [*begun, *widgets]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting.extend(imports(module))
    assert reached == set(MODULES)
