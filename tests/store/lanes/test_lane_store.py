"""Lanes are found again after a restart."""

from datetime import UTC, datetime

from desktop.domain.lanes.lane import Lane


def lane(key: str, day: int = 1, **fields: object) -> Lane:
    created = datetime(2026, 3, day, 10, 0, 0, 123_000, tzinfo=UTC)
    base = Lane(
        id=f"ln_{key}", project_id="p", name=key, branch=f"lane/{key}", worktree_path=f"/lanes/{key}", device=1,
        inode=2**63, created_at=created,
    )  # fmt: skip
    return base.model_copy(update=fields)


def test_lanes_come_back_oldest_first_after_the_store_was_opened_again(opened):
    store = opened()
    later, earlier, other = lane("b", 2), lane("a", 1, name="ünï"), lane("c", project_id="q")
    for one in (later, earlier, other):
        store.lanes.save(one)
    store.close()
    again = opened()
    assert again.lanes.of_project("p") == [earlier, later]
    assert again.lanes.get("ln_c") == other
    assert again.lanes.get("ln_x") is None
    assert again.lanes.of_project("nowhere") == []


def test_saving_a_lane_again_replaces_it(store):
    store.lanes.save(lane("a"))
    store.lanes.save(lane("a", state="archived"))
    assert store.lanes.of_project("p") == [lane("a", state="archived")]


def test_a_lane_that_cannot_be_read_is_left_out_and_logged(store, caplog):
    store.lanes.save(lane("a"))
    store.lanes.save(lane("b"))
    store.database.connection.execute("""UPDATE lane SET body = '{"id":1}' WHERE lane_id = 'ln_a'""")
    assert store.lanes.of_project("p") == [lane("b")]
    assert "cannot be read" in caplog.text


def test_lanes_are_read_once_and_again_after_each_save(store):
    store.lanes.save(lane("a"))
    store.lanes.of_project("p").clear()
    store.database.connection.execute("""UPDATE lane SET body = '{"id":1}'""")
    assert store.lanes.of_project("p") == [lane("a")]
    store.lanes.save(lane("b", 2))
    assert store.lanes.of_project("p") == [lane("b", 2)]
    assert store.lanes.get("ln_a") is None
