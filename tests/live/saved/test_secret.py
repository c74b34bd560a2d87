"""The secret of the cookies is made once, and only its owner can read it."""

from bnviz.live.saved.secret import FILE, kept_secret


def test_the_secret_is_kept_and_only_its_owner_can_read_it(tmp_path):
    secret = kept_secret(tmp_path / "state")
    assert len(secret) == 64
    assert kept_secret(tmp_path / "state") == secret
    assert (tmp_path / "state" / FILE).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "state").iterdir()] == [FILE]


def test_an_empty_secret_is_made_again(tmp_path):
    (tmp_path / FILE).touch()
    assert len(secret := kept_secret(tmp_path)) == 64
    assert kept_secret(tmp_path) == secret


def test_a_folder_that_cannot_be_used_has_no_secret(tmp_path):
    (tmp_path / "file").touch()
    assert kept_secret(tmp_path / "file") == ""
