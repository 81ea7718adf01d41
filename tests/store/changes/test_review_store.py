"""Comments on changes and looked-at files are kept over a restart, by lane."""

from datetime import UTC, datetime

import pytest

from desktop.domain.changes.values import ReviewComment
from desktop.domain.core.errors import StoreWriteFailed
from desktop.store.database import SqliteStore

FIRST = ReviewComment(
    comment_id="cmt_1", path="a\udcff\u202e.txt", first=2, last=3, text="keep it", quoted=("b", "c"),
    created_at=datetime.now(UTC),
)  # fmt: skip
SECOND = ReviewComment(comment_id="cmt_2", path="b.txt", first=1, last=1, text="why?", side="old")


def test_comments_are_kept_changed_and_removed_by_lane(store: SqliteStore) -> None:
    kept = store.reviews
    kept.save("ln_a", FIRST, SECOND)
    changed = FIRST.model_copy(update={"state": "sent"})
    kept.save("ln_a", changed)
    kept.save("ln_b", changed.model_copy(update={"text": "of another lane"}))
    assert kept.comments("ln_a") == (changed, SECOND)
    assert kept.comments("ln_b") == ()
    kept.remove("ln_b", "cmt_1")
    kept.remove("ln_a", "cmt_1")
    assert kept.comments("ln_a") == (SECOND,)


def test_looked_at_files_keep_the_hash_that_was_seen(store: SqliteStore) -> None:
    kept = store.reviews
    kept.mark("ln_a", "a\udcff", "1")
    kept.mark("ln_a", "a\udcff", "2")
    kept.mark("ln_a", "b", "3")
    kept.mark("ln_b", "b", "4")
    kept.mark("ln_a", "b", None)
    assert kept.viewed("ln_a") == {"a\udcff": "2"}
    kept.save("ln_a", FIRST)
    kept.forget("ln_a")
    assert (kept.viewed("ln_a"), kept.comments("ln_a"), kept.viewed("ln_b")) == ({}, (), {"b": "4"})


def test_a_damaged_comment_is_left_out_and_a_failed_write_is_told(store: SqliteStore) -> None:
    kept = store.reviews
    kept.save("ln_a", FIRST, SECOND)
    store.database.connection.execute("UPDATE review_comment SET body = 'x' WHERE comment_id = 'cmt_1'")
    assert kept.comments("ln_a") == (SECOND,)
    store.database.connection.execute("PRAGMA query_only=ON")
    with pytest.raises(StoreWriteFailed):
        kept.mark("ln_a", "a", "1")
