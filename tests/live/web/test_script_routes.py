"""Downloads of a lesson's script and of the digits that the script loads."""

import io

import numpy as np

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.lessons.scripts import FOLDER, script_of


def test_every_script_is_a_file_to_save_and_nothing_else_is(client):
    for name in sorted(path.stem for path in FOLDER.glob("*.py")):
        answer = client.get(f"/x/scripts/{name}.py")
        assert answer.status_code == 200
        assert answer.text == script_of(name)
        saved = answer.headers["content-disposition"]
        assert saved == f'attachment; filename="bnviz-{name}.py"'
    for unknown in ("moon", "..%2F..%2Fapp", "*", "."):
        assert client.get(f"/x/scripts/{unknown}.py").status_code == 404


def test_the_digits_are_those_of_every_run_before_they_are_scaled(client):
    answer = client.get("/x/scripts/bnviz-digits.npz")
    assert "bnviz-digits.npz" in answer.headers["content-disposition"]
    assert len(answer.content) < 200_000
    with np.load(io.BytesIO(answer.content), allow_pickle=False) as file:
        x, y, test_x, test_y = file.values()
    data = load(RunConfig())
    np.testing.assert_allclose((x - x.mean()) / x.std(), data.train_inputs, atol=1e-5)
    np.testing.assert_allclose((test_x - x.mean()) / x.std(), data.test_inputs, atol=1e-5)
    assert (y == data.train_labels).all()
    assert (test_y == data.test_labels).all()
