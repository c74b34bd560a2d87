"""What axe-core finds on a page that keeps people out."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def serious(page: Page) -> list[tuple[str, list[str]]]:
    """Each serious or critical fault: its name, and the beginnings of the elements that have it."""
    return [
        (fault["id"], [node["html"][:160] for node in fault["nodes"]])
        for fault in Axe().run(page).response["violations"]
        if fault["impact"] in ("serious", "critical")
    ]
