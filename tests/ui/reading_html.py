"""Parser that reads a page of the app element by element."""

from html.parser import HTMLParser

from bnviz.ui.html import VOID


class Page(HTMLParser):
    """Elements of a page with their text. Fails if an element is not closed."""

    def __init__(self, text):
        super().__init__()
        self.elements, self._open = [], []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, name, attributes):
        element = {"tag": name, "text": "", "classes": [], **dict(attributes)}
        element["classes"] = (element.get("class") or "").split()
        element["above"] = list(self._open)
        self.elements.append(element)
        if name not in VOID:
            self._open.append(element)

    def handle_endtag(self, name):
        assert self._open.pop()["tag"] == name

    def handle_data(self, data):
        for element in self._open:
            element["text"] += data

    def all(self, name):
        return [each for each in self.elements if name in (each["tag"], *each["classes"])]

    def within(self, outer, name):
        return [each for each in self.all(name) if any(above is outer for above in each["above"])]

    def row(self, place):
        (found,) = [each for each in self.all("claims-row") if each["id"] == place]
        return found
