"""Rules of the browser's modules: imports lead somewhere, point one way, run in no circle."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

from bnviz.live.contract import CONTRACT, CONTRACT_FILE, contract_module
from bnviz.ui.lesson_widgets import WIDGETS, module_of

ASSETS = Path(__file__).resolve().parents[1] / "assets"
FOLDERS = ("live", "claims", "classroom", "lessons", "map", "widgets")
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
    "gamma_beta": {"lib"},
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
        if target == CONTRACT_FILE:  # which the server makes; it imports nothing
            assert names <= CONTRACT.keys(), f"{module}: {names - CONTRACT.keys()}"
        else:
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
    widgets = list(map(module_of, WIDGETS))
    begun = [
        "live_view.js",
        "live_knobs.js",
        "knob_drawer.js",
        "claims.js",
        "map.js",
        "map_knob.js",
        "page_links.js",
        "language_menu.js",
        "lessons.js",
        "own_words.js",
        "collect.js",
        "notes.js",
        "own_talk.js",
        "link_answers.js",
    ]
    reached, waiting = set(), [*begun, *widgets]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting.extend(imports(module))
    assert reached == set(MODULES)


def test_no_module_has_its_own_copy_of_what_the_contract_says():
    """Of what has a value of its own; a number like 4 may well mean another thing elsewhere."""
    texts = {module: (ASSETS / module).read_text(encoding="utf-8") for module in MODULES}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in PHONE.glob("*.js")}
    copies = [
        f"{module}: {written}"
        for module, text in texts.items()
        for section in CONTRACT.values()
        for name, value in section.items()
        for written in _written(name, value)
        if re.search(written, text)
    ]
    assert not copies


def _written(name: str, value: object) -> list[str]:
    """How somebody would write a value of the contract into a module: by its name, or as it is."""
    named = rf"\b(?:const|let) \[?{name.upper()}\b(?! = (?:{'|'.join(CONTRACT)})\.)"
    if isinstance(value, str):
        return [named, rf'"{value}"']
    if isinstance(value, tuple):
        return [named, ", ".join(rf'"{re.escape(each)}"' for each in value)]
    return [named]


def test_a_copy_would_be_found():
    paces = 'const SPEEDS = ["1/s", "watch", "fast", "full"];'
    assert any(re.search(each, paces) for each in _written("paces", CONTRACT["frames"]["paces"]))
    assert any(re.search(each, "const MOST_ROUNDS = 2;") for each in _written("most_rounds", 2))
    assert any(re.search(each, '"ABCD"[answer]') for each in _written("letters", "ABCD"))


def test_every_section_of_the_contract_is_imported():
    imported = set()
    for module in MODULES:
        text = (ASSETS / module).read_text(encoding="utf-8")
        for match in IMPORT.finditer(text):
            if (match["fixed"] or "").endswith(f"/{CONTRACT_FILE}"):
                imported |= {n.split(" as ")[0].strip() for n in match["names"].split(",")}
    assert imported == CONTRACT.keys()
    exported = set(EXPORT.findall(contract_module().decode()))
    assert exported == CONTRACT.keys()
