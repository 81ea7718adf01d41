"""Who signed a build, as the build itself says it."""

from pathlib import Path

from installer.bill import BILL as WRITTEN_BILL
from installer.bill import PLACE
from installer.signing import MARK, Signer, mark

from desktop.config.signature import BILL, FILE, signature_state, signed_by


def test_a_build_tells_what_signed_it_or_that_nobody_did(tmp_path: Path) -> None:
    folder = tmp_path / PLACE
    folder.mkdir(parents=True)
    assert (signed_by(folder), signature_state(folder)) == (None, "runs from its source")
    folder.joinpath(WRITTEN_BILL).write_text("{}")
    assert (signed_by(folder), signature_state(folder)) == ("", "not signed")
    mark(Signer(gpg="AB12"), tmp_path)
    assert (signed_by(folder), signature_state(folder)) == ("GPG AB12", "signed by GPG AB12")
    assert (WRITTEN_BILL, MARK.name) == (BILL, FILE)


def test_a_mark_that_cannot_be_read_signs_nothing(tmp_path: Path) -> None:
    tmp_path.joinpath(BILL).write_text("{}")
    tmp_path.joinpath(FILE).write_bytes(b"\xff\xfe")
    assert signature_state(tmp_path) == "not signed"
