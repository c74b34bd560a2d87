"""Gallery pictures: every chart that can be added has one, and all of them are small."""

from PIL import Image

from bnviz.ui.query_schema import ADDABLE_CHARTS
from tests.conftest import ROOT

PICTURES = sorted((ROOT / "assets" / "chart_pictures").iterdir())
MOST_BYTES = 300_000  # total of all pictures


def test_every_chart_of_the_gallery_has_a_picture_and_no_picture_is_left_over():
    assert [path.name for path in PICTURES] == sorted(f"{name}.png" for name in ADDABLE_CHARTS)


def test_the_pictures_have_one_size_and_weigh_little():
    assert sum(path.stat().st_size for path in PICTURES) <= MOST_BYTES
    sizes = set()
    for path in PICTURES:
        with Image.open(path) as picture:
            sizes.add(picture.size)
    assert sizes == {(240, 180)}
