"""What is known of a lane's pull request survives a restart, and goes with the lane."""

from datetime import UTC, datetime, timedelta

from desktop.domain.pulls.pull_request import (
    Check,
    Comment,
    ForgeProblem,
    PullLink,
    PullRequest,
    PullSnapshot,
    RepositoryId,
)
from desktop.store.database import SqliteStore

SHOP = RepositoryId(host="github.com", owner="o", name="shop")
AT = datetime(2026, 1, 2, 13, 58, tzinfo=UTC)
SNAPSHOT = PullSnapshot(
    lane_id="ln_a", repository=SHOP,
    pull=PullRequest(number=42, repository=SHOP, title="\u202efix", base="main", head="lane/fix", head_oid="a" * 40),
    checks=(Check(id=1, name="unit", conclusion="failure"),), comments=(Comment(id="IC_1", body="why?"),),
    known=frozenset({"pull", "checks", "comments"}), missing=(("files", "The right contents is missing."),), as_of=AT,
    viewer="me",
)  # fmt: skip


def test_a_link_and_the_last_snapshot_are_kept_by_lane(store: SqliteStore) -> None:
    kept = store.pulls
    assert kept.link("ln_a") == PullLink(lane_id="ln_a")
    link = PullLink(lane_id="ln_a", remote="upstream", repository=SHOP, number=42, branch="lane/fix")
    kept.save_link(PullLink(lane_id="ln_a", declined=True))
    kept.save_link(link)
    assert kept.link("ln_a") == link
    assert kept.snapshot("ln_a") is None
    kept.save_snapshot(PullSnapshot(lane_id="ln_b", problem=ForgeProblem(kind="offline", text="Offline.")))
    assert kept.snapshot("ln_b") is None, "a failure alone says nothing about a request"
    kept.save_snapshot(SNAPSHOT.model_copy(update={"problem": ForgeProblem(kind="offline", text="Offline.")}))
    assert kept.snapshot("ln_a") == SNAPSHOT
    kept.still_so("ln_a", AT + timedelta(minutes=5))
    assert kept.snapshot("ln_a") == SNAPSHOT.model_copy(update={"as_of": AT + timedelta(minutes=5)})


def test_what_agents_wrote_is_known_by_its_id_and_all_goes_with_the_lane(store: SqliteStore) -> None:
    kept = store.pulls
    kept.add_agent_comment("ln_a", "PRRC_1")
    kept.add_agent_comment("ln_a", "PRRC_1")
    kept.add_agent_comment("ln_b", "PRRC_2")
    kept.save_link(PullLink(lane_id="ln_a", number=42))
    kept.save_snapshot(SNAPSHOT)
    assert kept.agent_comments("ln_a") == {"PRRC_1"}
    kept.forget("ln_a")
    assert (kept.agent_comments("ln_a"), kept.snapshot("ln_a"), kept.link("ln_a").number) == (frozenset(), None, 0)
    assert kept.agent_comments("ln_b") == {"PRRC_2"}


def test_until_when_a_host_wants_to_be_left_alone_is_kept_by_host(store: SqliteStore) -> None:
    kept = store.pulls
    kept.save_wait("github.com", AT)
    kept.save_wait("github.com", AT + timedelta(minutes=5))
    kept.save_wait("ghe.example:8443", AT)
    assert kept.waits() == {"github.com": AT + timedelta(minutes=5), "ghe.example:8443": AT}
    kept.save_wait("github.com", None)
    assert kept.waits() == {"ghe.example:8443": AT}


def test_damaged_rows_are_left_out(store: SqliteStore) -> None:
    kept = store.pulls
    kept.save_link(PullLink(lane_id="ln_a", number=42))
    kept.save_snapshot(SNAPSHOT)
    store.database.connection.execute("UPDATE pull_link SET body = 'x'")
    store.database.connection.execute("UPDATE pull_snapshot SET as_of = 'never'")
    assert (kept.link("ln_a").number, kept.snapshot("ln_a")) == (0, None)
