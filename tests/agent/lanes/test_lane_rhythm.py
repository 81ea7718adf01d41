"""When lanes are read: soon after a cause, ever more rarely while nothing changes, and then not at all."""

import pytest

from desktop.agent.lanes.standing.lane_rhythm import AWAKE_S, LaneRhythm

pytestmark = pytest.mark.asyncio


class Watch:
    """A rhythm whose clock a test moves; reads whatever is due at once."""

    def __init__(self) -> None:
        self.now = 0.0
        self.rhythm = LaneRhythm(lambda: None, lambda: self.now)

    def until_next(self, *, changed: bool = False, took_s: float = 0.1) -> float | None:
        """Seconds until lanes are due, which are then read."""
        wait = self.rhythm.next_in()
        if wait is not None:
            self.now += wait
            for lane_id in self.rhythm.take():
                self.rhythm.read(lane_id, took_s=took_s, changed=changed)
        return wait


@pytest.fixture
def watch() -> Watch:
    return Watch()


async def test_nothing_is_due_before_a_cause(watch: Watch) -> None:
    assert watch.rhythm.next_in() is None
    assert watch.rhythm.take() == ()


async def test_a_lane_that_is_looked_at_is_read_at_once_and_then_ever_more_rarely(watch: Watch) -> None:
    watch.rhythm.ask(["a"], watched="a")
    waits = [watch.until_next() for _ in range(7)]
    assert waits == [0.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0]
    while watch.until_next() is not None:
        assert watch.now < AWAKE_S


async def test_what_changes_is_read_every_ten_seconds_and_others_every_minute(watch: Watch) -> None:
    watch.rhythm.ask(["a"], watched="a")
    assert [watch.until_next(changed=True) for _ in range(3)] == [0.0, 10.0, 10.0]
    other = Watch()
    other.rhythm.ask(["b"])
    assert [other.until_next(changed=True) for _ in range(3)] == [0.0, 60.0, 60.0]


async def test_a_cause_settles_first_and_a_series_of_causes_is_one_reading(watch: Watch) -> None:
    watch.rhythm.touch(["a"])
    watch.now += 0.5
    watch.rhythm.touch(["a", "b"])
    assert watch.until_next() == 0.5
    assert watch.until_next() == 0.5


async def test_no_lane_takes_more_than_a_tenth_of_the_time(watch: Watch) -> None:
    watch.rhythm.touch(["a"])
    watch.until_next(took_s=4.0)
    watch.rhythm.touch(["a"])
    assert watch.until_next(changed=True, took_s=4.0) == 40.0


async def test_a_reading_that_is_fresh_is_made_again_only_for_lanes_that_are_named(watch: Watch) -> None:
    watch.rhythm.ask(["a", "b"])
    watch.until_next()
    watch.now += 5
    watch.rhythm.ask(["a", "b"])
    assert watch.rhythm.take() == ()
    watch.rhythm.ask(["a"], watched="a", named=True)
    assert watch.rhythm.take() == ("a",)


async def test_git_may_be_left_alone_only_without_a_cause(watch: Watch) -> None:
    watch.rhythm.ask(["a", "b"], watched="a")
    assert not watch.rhythm.may_skip("b")
    watch.until_next()
    assert watch.rhythm.may_skip("b")
    assert not watch.rhythm.may_skip("a")
    watch.rhythm.touch(["b"])
    assert not watch.rhythm.may_skip("b")


async def test_after_it_is_closed_nothing_is_due(watch: Watch) -> None:
    watch.rhythm.touch(["a"])
    watch.rhythm.close()
    assert watch.rhythm.next_in() is None
