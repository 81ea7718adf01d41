"""Ids name their kind, and those made later sort later."""

from desktop.domain.core.ids import new_command_id, new_event_id, new_id, new_lane_id, new_session_id


def test_an_id_says_what_it_names_and_that_it_is_a_uuid_of_version_7() -> None:
    for made, prefix in (
        (new_event_id(), "evt_"), (new_session_id(), "ses_"), (new_command_id(), "cmd_"), (new_id("pas_"), "pas_"),
    ):  # fmt: skip
        digits = made.removeprefix(prefix)
        assert len(digits) == 32
        assert int(digits, 16) >= 0
        assert digits[12] == "7"
        assert digits[16] in "89ab"


def test_no_two_ids_are_the_same() -> None:
    assert len({new_event_id() for _ in range(1000)}) == 1000


def test_that_of_a_lane_is_short() -> None:
    made = new_lane_id()
    assert made.startswith("ln_")
    assert len(bytes.fromhex(made[3:])) == 6
