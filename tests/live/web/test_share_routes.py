"""Download of a talk's recording."""

from bnviz.words.texts import texts


def test_the_recording_is_a_file_to_save_and_unknown_ones_are_none(client):
    answer = client.get("/x/recording/first-five-minutes.html")
    assert answer.status_code == 200
    assert (
        answer.headers["content-disposition"]
        == 'attachment; filename="bnviz-first-five-minutes.html"'
    )
    assert texts("talks")["recording"]["mark"] in answer.text
    for unknown in ("moon", "..%2Ffirst-five-minutes", "."):
        assert client.get(f"/x/recording/{unknown}.html").status_code == 404
