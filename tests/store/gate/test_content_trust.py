"""Trust in files of a repository is kept by content."""

import pytest

from desktop.domain.core.errors import StoreWriteFailed
from desktop.store.gate.trust import MOST_KEPT, ContentTrust, content_sha256

A, B = "a" * 64, "b" * 64


def test_only_the_trusted_content_of_that_project_is_trusted(tmp_path):
    trust = ContentTrust(tmp_path, "commands")
    assert not trust.is_trusted("p1", A)
    trust.trust("p1", A)
    trust.trust("p1", A)
    assert trust.is_trusted("p1", A)
    assert ContentTrust(tmp_path, "commands").is_trusted("p1", A)
    assert not trust.is_trusted("p1", B)
    assert not trust.is_trusted("p2", A)
    assert not trust.is_trusted("p1", "")
    assert not ContentTrust(tmp_path, "lane").is_trusted("p1", A)


def test_the_digest_is_of_names_and_contents_in_whatever_order() -> None:
    both = {"lane.toml": b"a", ".worktreeinclude": b"b"}
    assert content_sha256(both) == content_sha256(dict(reversed(both.items())))
    assert content_sha256({}) == ""
    others = ({"lane.toml": b"a"}, {"lane.toml": b"b", ".worktreeinclude": b"a"}, {"lane.tom": b"la"})
    assert len({content_sha256(one) for one in (both, *others)}) == 4


def test_contents_of_several_branches_are_trusted_beside_each_other_up_to_a_limit(tmp_path):
    trust = ContentTrust(tmp_path, "commands")
    trust.trust("p1", A)
    trust.trust("p1", B)
    assert trust.is_trusted("p1", A)
    for n in range(MOST_KEPT):
        trust.trust("p1", f"{n:064d}")
    assert not trust.is_trusted("p1", A)


@pytest.mark.parametrize("content", ["no json", "[]", '{"sha256": 4}', '{"sha256": [4]}'])
def test_a_damaged_file_trusts_nothing(tmp_path, content):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "p1.commands.json").write_text(content)
    assert not ContentTrust(tmp_path, "commands").is_trusted("p1", A)


def test_a_project_that_names_no_file_is_never_trusted(tmp_path):
    trust = ContentTrust(tmp_path, "commands")
    trust.trust("../p", A)
    assert not trust.is_trusted("../p", A)
    assert list(tmp_path.iterdir()) == []


def test_trust_that_cannot_be_kept_is_said(tmp_path):
    (tmp_path / "rules").write_text("in the way")
    with pytest.raises(StoreWriteFailed, match="not trusted"):
        ContentTrust(tmp_path, "commands").trust("p1", A)
    (tmp_path / "rules").unlink()
    (tmp_path / "rules" / "p1.commands.json").mkdir(parents=True)
    assert not ContentTrust(tmp_path, "commands").is_trusted("p1", A)


def test_the_content_that_was_trusted_last_is_known(tmp_path):
    trust = ContentTrust(tmp_path, "hooks")
    assert trust.last("p1") == ""
    for sha256 in (A, "b" * 64, A):
        trust.trust("p1", sha256)
    assert trust.last("p1") == A
    assert trust.is_trusted("p1", "b" * 64)
