"""Items, rounds and settings of pull requests are kept over a restart; what may not be kept changes nothing."""

import pytest

from desktop.domain.core.errors import StoreError
from desktop.domain.rounds.items import IssueItem, LaunchChoice, PipelineRun, PipelineSettings, RoundRecord
from desktop.store.database import SqliteStore
from tests.domain.pull_samples import T0, minute

PULL, OTHER = "github.com/acme/shop#42", "github.com/acme/shop#43"


def _item(ref: str, **changes: object) -> IssueItem:
    item = IssueItem(id=f"check:{ref}", type="check", ref=ref, headline=ref, first_seen=T0, last_change=T0)
    return item.model_copy(update=changes)


def test_items_are_kept_in_order_and_replaced_by_request(store: SqliteStore) -> None:
    kept = store.resolutions
    assert (kept.items(PULL), kept.synced_at(PULL)) == ((), None)
    kept.save_items(PULL, (_item("b", body="\ud800"), _item("a")), minute(1))
    kept.save_items(OTHER, (_item("b", state="fixed"),))
    kept.save_items(PULL, (_item("a", state="dismissed", reason="flaky"),), minute(2))
    assert [(one.ref, one.state) for one in kept.items(PULL)] == [("b", "new"), ("a", "dismissed")]
    assert kept.items(PULL)[0].body == "\ud800"
    assert (kept.synced_at(PULL), kept.synced_at(OTHER)) == (minute(2), None)
    store.database.connection.execute("UPDATE pull_item SET body = '{}' WHERE item_id = 'check:b'")
    store.database.connection.execute("UPDATE pull_pipeline SET synced_at = 'soon'")
    assert ([one.ref for one in kept.items(PULL)], kept.synced_at(PULL)) == (["a"], None)


def test_rounds_settings_and_the_run_are_kept(store: SqliteStore) -> None:
    kept = store.resolutions
    assert (kept.settings(PULL), kept.run(PULL)) == (PipelineSettings(), PipelineRun())
    first, second = (RoundRecord(number=n, started_at=T0) for n in (1, 2))
    for record in (second, first, first.model_copy(update={"fixed": 3})):
        kept.save_round(PULL, record)
    assert [(one.number, one.fixed) for one in kept.rounds(PULL)] == [(1, 3), (2, 0)]
    chosen = PipelineSettings(auto_round=True, max_rounds=7)
    kept.save_settings(PULL, chosen)
    assert (kept.settings(PULL), kept.run(PULL)) == (chosen, PipelineRun())
    run = PipelineRun(state="polling", round=1, choice=LaunchChoice(instructions="gently"))
    assert kept.save_run(PULL, run) == run
    assert (kept.run(PULL), kept.settings(PULL)) == (run, chosen)


@pytest.mark.promise("lanes-P21")
def test_the_round_never_goes_back(store: SqliteStore) -> None:
    kept = store.resolutions
    kept.save_run(PULL, PipelineRun(state="running", round=3))
    assert kept.save_run(PULL, PipelineRun(state="paused", round=2)).round == 3
    assert kept.run(PULL) == PipelineRun(state="paused", round=3)


@pytest.mark.promise("lanes-P22")
@pytest.mark.parametrize(
    "wrong",
    [{"round": -1}, {"round": 1.5}, {"round": float("nan")}, {"round": "2"}, {"state": "odd"}, {"poller": "awake"}],
)
def test_what_may_not_be_kept_is_refused_and_the_row_is_unchanged(store: SqliteStore, wrong: dict[str, object]) -> None:
    kept = store.resolutions
    run = PipelineRun(state="running", round=3)
    kept.save_run(PULL, run)
    with pytest.raises(StoreError):
        kept.save_run(PULL, run.model_copy(update=wrong))
    assert kept.run(PULL) == run
    with pytest.raises(StoreError):
        kept.save_items(PULL, (_item("a"), _item("b", round=-1)))
    assert kept.items(PULL) == ()


def test_a_stored_run_that_cannot_be_read_is_none(store: SqliteStore) -> None:
    kept = store.resolutions
    kept.save_run(PULL, PipelineRun(state="running", round=3))
    store.database.connection.execute("""UPDATE pull_pipeline SET run = '{"state": "running", "round": 1.5}'""")
    assert kept.run(PULL) == PipelineRun()
