"""Records of proofs: kept with their owners, outliving a chat, removed with content that nothing else names."""

from datetime import timedelta
from pathlib import Path

import pytest

from desktop.domain.core.errors import StoreError
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import SessionStarted, UserMessage
from desktop.domain.proofs.values import ProofLink
from desktop.store.database import SqliteStore
from desktop.store.history.removal import remove_rows
from desktop.store.proofs.removal import SqliteProofRemoval
from desktop.store.readings import SqliteReadings
from tests.domain.proofs.test_proof_block import AT, proof

pytestmark = pytest.mark.asyncio
LANE = ProofLink(owner="lane", owner_id="ln_1", relation="attached_to")


async def test_a_record_is_linked_once_and_goes_90_days_after_its_owners(store: SqliteStore) -> None:
    kept, blobs = store.proofs, store.blobs
    session = new_session_id()
    picture, named = blobs.put(b"picture", "image/png"), blobs.put(b"named by a chat", "image/png")
    link = ProofLink(owner="session", owner_id=session, relation="produced_by")
    kept.add(proof(id="pf_1", sha256=picture.sha256), [LANE, link])
    kept.add(proof(id="pf_2", sha256=named.sha256), [LANE])
    assert not kept.link("pf_1", link)
    assert kept.link("pf_1", ProofLink(owner="pull_request", owner_id="o/r#1", relation="published_to", address="x"))
    assert len(kept.links("pf_1")) == 3
    assert [one.id for one in kept.of_lane("ln_1")] == ["pf_2", "pf_1"]
    assert [one.id for one in kept.of_owner("session", session)] == ["pf_1"]
    assert kept.size_of_project("p") == len(b"picture") + len(b"named by a chat")
    store.events.append_many(new_session_id(), [SessionStarted(project_id="p", project_path="/x", app_version="1"),
                             UserMessage(parts=({"type": "text", "text": named.sha256},))])  # fmt: skip
    until = AT + timedelta(days=90)
    store.proof_removal.forget_gone_owners(lambda lane_id: False, until)
    assert [one.id for one in kept.outlived(until + timedelta(days=1))] == ["pf_2"]
    assert await store.proof_removal.remove_outlived(AT) == 0
    kept.forget_owner("session", session, until)
    kept.forget_owner("pull_request", "o/r#1", until)
    assert await store.proof_removal.remove_outlived(until + timedelta(days=1)) == 2
    assert kept.of_lane("ln_1") == ()
    assert blobs.get(picture.sha256) is None
    assert blobs.get(named.sha256) == b"named by a chat", "a chat names it still"


async def test_removing_a_chat_leaves_what_proofs_name(store: SqliteStore) -> None:
    kept = store.proofs
    session = new_session_id()
    mine, only = store.blobs.put(b"a proof", "image/png"), store.blobs.put(b"only the chat's", "image/png")
    kept.add(proof(sha256=mine.sha256), [ProofLink(owner="session", owner_id=session, relation="produced_by")])
    text = f"{mine.sha256} {only.sha256}"
    store.events.append_many(session, [SessionStarted(project_id="p", project_path="/x", app_version="1"),
                             UserMessage(parts=({"type": "text", "text": text},))])  # fmt: skip
    orphans = store.readings.orphans(session)
    with store.database.transaction() as connection:
        gone = remove_rows(connection, session, orphans)
    assert gone == {only.sha256}
    assert store.blobs.has(mine.sha256)
    kept.link(proof().id, LANE)
    store.proof_removal.forget_gone_owners(lambda lane_id: True, AT)
    assert kept.links(proof().id) == (LANE,)


async def test_a_record_that_cannot_be_read_is_left_out(store: SqliteStore) -> None:
    kept = store.proofs
    kept.add(proof(id="pf_1"), [LANE])
    kept.add(proof(id="pf_2", sha256="cd" * 32), [LANE])
    with store.database.transaction() as connection:
        connection.execute("UPDATE proof SET body = '{' WHERE proof_id = 'pf_1'")
    assert [one.id for one in kept.of_lane("ln_1")] == ["pf_2"]
    assert kept.get("pf_1") is None
    assert kept.count("ln_1") == 2
    assert [one.id for one in kept.with_content("ln_1", "cd" * 32)] == ["pf_2"]
    kept.save(proof(id="pf_2", sha256="cd" * 32, note="Look here"))
    found = kept.get("pf_2")
    assert found is not None
    assert found.note == "Look here"


async def test_nothing_goes_when_the_store_cannot_be_read(store: SqliteStore, tmp_path: Path) -> None:
    kept = store.proofs
    kept.add(proof(keep_until=AT), [])
    unread = SqliteReadings(tmp_path / "none.db").named_by_events
    with pytest.raises(StoreError, match="cannot be read"):
        await SqliteProofRemoval(store.database, kept, store.blobs, unread).remove_outlived(AT + timedelta(days=1))
    assert kept.get(proof().id) is not None
    assert kept.remove("pf_none") == frozenset()


async def test_the_trees_of_a_lane_and_the_choice_about_pictures_are_kept(store: SqliteStore) -> None:
    kept = store.proofs
    kept.add(proof(id="pf_1"), [LANE])
    kept.add(proof(id="pf_2", tree_id=""), [LANE])
    assert kept.trees("ln_1") == ("t" * 40,)
    for yes in (True, True, False, False):
        kept.save_publishes_pictures("p", yes)
        assert kept.publishes_pictures("p") is yes
    assert not kept.publishes_pictures("other")
