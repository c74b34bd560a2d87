"""The presenter's notes window: a page without any content of a talk."""

from bnviz.words.texts import texts


def test_it_has_its_words_and_its_module_and_asks_for_nothing_else(client):
    answer = client.get("/x/notes")
    assert answer.status_code == 200
    assert 'lang="en"' in answer.text
    assert texts("talks")["presenter"]["waiting"] in answer.text
    (module,) = [part.split('"')[0] for part in answer.text.split('src="')[1:]]
    assert module.startswith("/x/assets/")
    assert client.get(module).status_code == 200
