"""Which tasks several were given, as the log of a repository has it, and which result was kept."""

from datetime import UTC, datetime

from desktop.domain.compared.fold import Compared, fold_compared, launched_slots
from desktop.domain.compared.values import KeptResult
from desktop.domain.core.event_base import EventBase
from desktop.domain.events import Envelope, TitleChanged
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted

AT = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)
SLOTS = [
    {"lane_id": f"ln_{n}", "session_id": f"ses_{n}", "name": f"try {n}", "endpoint_id": "fake", "model": f"m{n}"}
    for n in (1, 2)
]


def folded(*events: EventBase) -> Compared:
    known = Compared()
    for seq, event in enumerate(events):
        fields = {"event_id": f"evt_{seq}", "session_id": "ses_log", "seq": seq, "parent_id": None, "at": AT}
        known = fold_compared(known, Envelope.model_validate({**fields, "event": event}))
    return known


def started(operation: str, operation_id: str = "op_1", **arguments: object) -> LaneOperationStarted:
    fields = {"operation_id": operation_id, "operation": operation, "arguments": arguments}
    return LaneOperationStarted.model_validate(fields)


def ended(operation: str, operation_id: str, status: str = "done", **result: object) -> LaneOperationFinished:
    fields = {"operation_id": operation_id, "operation": operation, "status": status, "result": result}
    return LaneOperationFinished.model_validate(fields)


LAUNCH = started("launch", slots=SLOTS, text="Do it")
KEEP = started("keep_result", "op_2", comparison_id="op_1", session_id="ses_1")
KEPT = ended("keep_result", "op_2", chats=["ses_2"], lanes=["ln_2"])


def test_a_launch_is_a_comparison_of_its_slots():
    one = folded(LAUNCH).comparisons["op_1"]
    assert (one.at, one.text, one.kept) == (AT, "Do it", None)
    assert [run.slot.session_id for run in one.runs] == ["ses_1", "ses_2"]
    assert one.run_of("ses_2") is one.runs[1]
    assert one.run_of("ses_3") is None


def test_a_launch_of_before_has_no_text():
    assert folded(started("launch", slots=SLOTS)).comparisons["op_1"].text == ""


def test_a_record_that_does_not_say_which_lanes_is_none():
    assert folded(started("launch"), started("launch", slots=[{"name": "x"}])) == Compared()
    assert launched_slots({"slots": "x"}) == ()


def test_other_events_and_operations_change_nothing():
    other = started("create", "op_9")
    assert folded(LAUNCH, other, ended("create", "op_9"), TitleChanged(title="x")) == folded(LAUNCH)


def test_a_result_is_kept_once_that_is_done():
    assert folded(LAUNCH, KEEP).comparisons["op_1"].kept is None
    known = folded(LAUNCH, KEEP, KEPT)
    assert known.comparisons["op_1"].kept == KeptResult(session_id="ses_1", chats=("ses_2",), lanes=("ln_2",))
    assert known.begun == {}


def test_what_failed_keeps_nothing():
    known = folded(LAUNCH, KEEP, ended("keep_result", "op_2", "failed"))
    assert (known.comparisons["op_1"].kept, known.begun) == (None, {})


def test_a_result_that_is_not_told_as_a_list_of_words_names_nothing():
    known = folded(
        LAUNCH, started("keep_result", "op_2", comparison_id="op_1"), ended("keep_result", "op_2", lanes=[1])
    )
    assert known.comparisons["op_1"].kept == KeptResult(session_id="")


def test_keeping_is_taken_back():
    undo = started("undo_keep_result", "op_3", comparison_id="op_1"), ended("undo_keep_result", "op_3")
    assert folded(LAUNCH, KEEP, KEPT, *undo).comparisons["op_1"].kept is None


def test_what_is_kept_of_an_unknown_comparison_is_nothing():
    assert folded(KEEP, KEPT) == Compared()
