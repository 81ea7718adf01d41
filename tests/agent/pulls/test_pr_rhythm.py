"""When GitHub is asked about each lane's request: by what is looked at, what runs, and what GitHub allows."""

import pytest

from desktop.agent.pulls.rhythm import Need, PullRhythm

pytestmark = pytest.mark.asyncio


class Beat:
    """A rhythm on a clock of its own. `needs`: how much each lane is wanted."""

    def __init__(self, every_s: float = 60.0, spread: float = 0.5) -> None:
        self.now, self.every_s = 1000.0, every_s
        self.needs: dict[str, Need] = {}
        self.rhythm = PullRhythm(
            lambda: None, lambda: self.now, lambda lane: self.needs.get(lane, "none"), lambda: self.every_s,
            spread=lambda: spread,
        )  # fmt: skip

    def asked(self, lane: str, *, reached: bool = True) -> float | None:
        """Seconds from a look to the next one."""
        self.rhythm.begun(lane)
        self.rhythm.asked(lane, reached=reached)
        return self.rhythm.next_in()


@pytest.mark.promise("lanes-G20")
async def test_what_is_on_screen_is_asked_for_often_and_the_rest_rarely() -> None:
    beat = Beat()
    for need, wait_s in (("shown", 60), ("running", 30), ("other", 300), ("none", None)):
        beat.needs["a"] = need  # type: ignore[assignment]
        assert beat.asked("a") == wait_s
    beat.needs["a"], beat.rhythm.seen = "running", False
    assert beat.asked("a") == 600
    beat.rhythm.seen, beat.every_s = True, 0
    assert beat.asked("a") is None, "the person's setting: never by itself"
    beat.every_s = 5
    assert beat.asked("a") == 5
    beat.needs["a"], beat.every_s = "other", 1800
    assert beat.asked("a") == 1800
    assert Beat(spread=0.0).rhythm.interval_s("a") is None
    low, high = Beat(spread=0.0), Beat(spread=1.0)
    low.needs["a"] = high.needs["a"] = "shown"
    assert (low.asked("a"), high.asked("a")) == (54.0, 66.0)


async def test_a_lane_that_is_wanted_now_is_due_and_only_once_in_five_seconds() -> None:
    beat = Beat()
    beat.needs = {"a": "shown", "b": "other"}
    beat.rhythm.watch(("a", "b", "c"))
    assert beat.rhythm.take() == ("a", "b")
    assert beat.rhythm.take() == ()
    beat.rhythm.begun("a")
    assert (beat.rhythm.may_ask("a"), beat.rhythm.may_ask("b")) == (False, True)
    beat.rhythm.asked("a", reached=True)
    beat.now += 5
    assert beat.rhythm.may_ask("a")
    beat.needs["a"] = "running"
    beat.rhythm.replan()
    assert beat.rhythm.next_in() == 0, "b was never asked"
    beat.rhythm.take()
    beat.rhythm.replan()
    beat.rhythm.clear()
    assert beat.rhythm.next_in() is None


async def test_offline_is_tried_again_within_five_seconds_and_ends_for_all_at_once() -> None:
    beat = Beat()
    beat.needs = {"a": "shown", "b": "other"}
    assert beat.asked("a", reached=False) == 4
    beat.rhythm.clear()
    assert beat.asked("b", reached=False) == 300
    beat.asked("a")
    assert beat.rhythm.take() == ("b",), "what could not be reached is asked for as soon as something could"


async def test_limits_slow_everything_and_stop_it_until_they_end() -> None:
    beat = Beat()
    beat.needs["a"] = "shown"
    beat.rhythm.slow = True
    assert beat.asked("a") == 240
    beat.rhythm.slow, beat.rhythm.not_before = False, beat.now + 90
    beat.asked("a")
    assert beat.rhythm.next_in() == 90
    beat.now += 70
    assert beat.rhythm.take() == ()
    beat.now += 20
    assert beat.rhythm.take() == ("a",)
    beat.rhythm.clear()
