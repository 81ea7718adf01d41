"""The undo ledger as a fold: what made an effect, how it can be taken back, and what was."""

from datetime import UTC, datetime, timedelta

import pytest

from desktop.domain.core.checkpoint_events import CheckpointMade, FilesRestored
from desktop.domain.core.content import BlobRef, Card, TouchedFile
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import Envelope, Event, ToolCallDecided, ToolCallFinished, ToolCallStarted, UserMessage
from desktop.domain.gate.events import RevertedFile, ReviewReverted, RuleRemoved, RuleSaved
from desktop.domain.gate.rules import Rule
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.fold import changed_files, effects, named

AT = datetime(2026, 3, 1, 8, tzinfo=UTC)
KEPT = BlobRef(sha256="a" * 64, size=1, media_type="text/plain")
EDITED = TouchedFile(path="a.py", kind="modify", before_sha256="1", after_sha256="2", before=KEPT)


def log(*events: Event) -> list[Envelope]:
    return [
        Envelope(
            event_id=f"e{seq}", session_id="s", seq=seq, parent_id=None, at=AT + timedelta(minutes=seq), event=event
        )
        for seq, event in enumerate(events)
    ]


def call(
    tool: str, *, call_id: str = "c", category: str = "write", checkpoint: str = "k", card: bool = True, **end: object
) -> list[Event]:
    decided = ToolCallDecided(
        call_id=call_id, name_called=tool, tool=tool, verdict=Verdict.ALLOW, rule="mode", mode=PermissionMode.EDIT,
        category=category, card=Card(title=f"Do {tool}") if card else None,
    )  # fmt: skip
    finished = ToolCallFinished.model_validate({"call_id": call_id, "outcome": "ok", **end})
    return [decided, ToolCallStarted(call_id=call_id, tool=tool, checkpoint_id=checkpoint), finished]


def only(*events: Event) -> Effect:
    (effect,) = effects(log(*events))
    return effect


def test_an_edit_can_be_taken_back_and_was() -> None:
    edit = call("edit_file", touched=(EDITED,))
    effect = only(*edit)
    assert (effect.kind, effect.undoable, effect.state, effect.what) == ("files", "yes", "standing", "Do edit_file")
    assert effect.files == changed_files([effect]) == (EDITED,)
    assert not effect.unknown
    back = ReviewReverted(call_id="c", files=(RevertedFile(path="a.py"),))
    assert only(*edit, back).state == "undone"
    assert only(*edit, ReviewReverted(call_id="c")).state == "partly"
    assert effects(log(ReviewReverted(call_id="other"))) == ()


def test_an_edit_whose_bytes_from_before_are_not_kept_says_so() -> None:
    effect = only(*call("write_file", touched=(EDITED.model_copy(update={"before": None}),)))
    assert (effect.undoable, effect.not_covered) == ("partly", "What was in a.py is not kept.")


@pytest.mark.parametrize(
    "events",
    [
        call("read_file", category="read"),
        call("edit_file", outcome="refused"),
        call("edit_file", outcome="error", is_error=True),
        call("edit_file")[:1],
        call("edit_file")[1:],
        [UserMessage(parts=())],
    ],
)
def test_reads_refusals_and_what_never_began_are_no_effects(events: list[Event]) -> None:
    assert effects(log(*events)) == ()


def test_a_command_that_failed_may_have_changed_something() -> None:
    effect = only(*call("bash", category="bash", outcome="error", is_error=True, card=False))
    assert (effect.kind, effect.undoable, effect.what) == ("command", "partly", "bash")
    assert only(*call("bash", category="bash", checkpoint="")).state == "cannot"


def test_a_call_whose_end_is_not_on_record_is_unknown() -> None:
    assert only(*call("bash", category="bash")[:2]).unknown
    assert only(*call("bash", category="bash", outcome="interrupted")).unknown


def test_a_checkpoint_that_is_put_back_takes_back_what_came_after_it() -> None:
    before, made = call("edit_file", call_id="1", touched=(EDITED,)), CheckpointMade(checkpoint_id="k1")
    after = [*call("edit_file", call_id="2", touched=(EDITED,)), *call("bash", call_id="3", category="bash")]
    pushed = call("push_lane", call_id="4", category="external")
    events = [*before, made, *after, *pushed]
    states = [effect.state for effect in effects(log(*events, FilesRestored(to_checkpoint_id="k1")))]
    assert states == ["standing", "partly", "undone", "standing"]
    for nothing in (FilesRestored(to_checkpoint_id="k1", failed=("a",)), FilesRestored(to_checkpoint_id="other")):
        assert {effect.state for effect in effects(log(*events, nothing))} == {"standing"}


def test_tools_without_an_inverse_cannot_be_taken_back() -> None:
    assert only(*call("anything", category="external")).state == "cannot"
    assert "rows" in only(*call("sql_query", category="external")).not_covered


def test_what_the_call_would_do_counts_beside_what_its_tool_is() -> None:
    def judged(tool: str, kind: str, **assessment: object) -> list[Event]:
        decided, *rest = call(tool, category=kind)
        return [decided.model_copy(update={"facts": {"call": {"assessment": assessment}}}), *rest]

    assert only(*judged("sql_query", "read", category="external", proven_read=False)).kind == "database"
    assert effects(log(*judged("sql_query", "read", category="read", proven_read=True))) == ()
    assert effects(log(*judged("bash", "bash", category="bash", proven_read=True))) == ()
    assert only(*judged("bash", "bash", category="bash", proven_read=False)).kind == "command"


def test_a_rule_is_an_effect_until_it_is_removed() -> None:
    saved = RuleSaved(rule=Rule(id="r", decision="allow", kind="command", tokens=("npm", "test")))
    assert only(saved).state == "standing"
    assert only(saved, RuleRemoved(rule_id="r", scope="project")).state == "undone"
    assert effects(log(RuleRemoved(rule_id="r", scope="project"))) == ()


def test_operations_of_people_on_lanes_are_effects() -> None:
    def operation(name: str, status: str = "done", by: str = "person", text: str = "") -> list[Event]:
        done = {"operation_id": "o", "operation": name, "lane_id": "l", "status": status, "text": text}
        return [
            LaneOperationStarted.model_validate({"operation_id": "o", "operation": name, "by": by}),
            LaneOperationFinished.model_validate(done),
        ]

    effect = only(*operation("switch_branch"))
    assert (effect.what, effect.lane_id, effect.undoable) == ("switch branch", "l", "yes")
    assert only(*operation("delete", text="Deleted a.")).what == "Deleted a."
    assert effects(log(*operation("delete", "failed"), *operation("delete", by="tool"), *operation("setup"))) == ()
    assert effects(log(operation("delete")[1])) == ()


def test_many_paths_are_a_few_names_and_a_count() -> None:
    assert named(["a", "b", "c"]) == "a, b, c"
    assert named(["a", "b", "c", "d"]) == "a, b, c and 1 more"
