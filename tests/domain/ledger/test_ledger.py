"""The undo ledger as a fold: what made an effect, how it can be taken back, and what was."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import JsonValue

from desktop.domain.boundaries.events import BoundaryDecided
from desktop.domain.core.checkpoint_events import CheckpointMade, FilesRestored
from desktop.domain.core.content import BlobRef, Card, TouchedFile
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import (
    Envelope,
    Event,
    LaneAttached,
    SessionStarted,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.events import RevertedFile, ReviewReverted, RuleRemoved, RuleSaved
from desktop.domain.gate.rules import Rule
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.fold import changed_files, effects, ledger_of, named
from desktop.domain.ledger.inverses import Doing, inverse_of
from desktop.domain.memory.events import MemoryWritten
from desktop.domain.preview.effect import EffectFile
from desktop.domain.preview.events import EffectApplied
from desktop.domain.undo.events import UndoBegun, UndoFinished, UndoStepDone
from desktop.domain.undo.steps import ActStep, BranchStep, RowsStep, RuleStep, SkillStep, Step, TreeStep

AT = datetime(2026, 3, 1, 8, tzinfo=UTC)
KEPT = BlobRef(sha256="a" * 64, size=1, media_type="text/plain")
EDITED = TouchedFile(path="a.py", kind="modify", before_sha256="1", after_sha256="2", before=KEPT)
RULE = Rule(id="r", decision="allow", kind="command", tokens=("npm", "test"))


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


def judged(tool: str, kind: str, sql: JsonValue = None, data: JsonValue = None, **assessment: JsonValue) -> list[Event]:
    decided, *rest = call(tool, category=kind, data=data or {})
    facts: dict[str, JsonValue] = {"call": {"assessment": assessment, "sql": sql}}
    return [decided.model_copy(update={"facts": facts}), *rest]


def test_an_edit_can_be_taken_back_and_was() -> None:
    edit = call("edit_file", touched=(EDITED,))
    effect = only(TurnStarted(turn_id="t"), *edit)
    assert (effect.kind, effect.undoable, effect.state, effect.what) == ("files", "yes", "standing", "Do edit_file")
    assert effect.files == changed_files([effect]) == (EDITED,)
    assert (effect.turn_id, effect.unknown, effect.left) == ("t", False, (0,))
    assert effect.steps == (TreeStep(then="k", now="", paths=("a.py",), call_id="c"),)
    back = ReviewReverted(call_id="c", files=(RevertedFile(path="a.py"),))
    assert (only(*edit, back).state, only(*edit, back).left) == ("undone", ())
    assert only(*edit, ReviewReverted(call_id="c")).state == "partly"
    assert effects(log(ReviewReverted(call_id="other"))) == ()


def test_the_next_checkpoint_says_how_a_call_left_the_files() -> None:
    moved = TouchedFile(path="to/", kind="move", from_path="from/")
    made = CheckpointMade(checkpoint_id="k2")
    assert only(*call("move_file", touched=(moved,)), made).steps == (
        TreeStep(then="k", now="k2", paths=("from", "to"), call_id="c"),
    )
    command = only(*call("bash", category="bash"), made, CheckpointMade(checkpoint_id="k3"))
    assert command.steps == (TreeStep(then="k", now="k2", call_id="c"),)
    same = only(*call("bash", category="bash"), CheckpointMade(checkpoint_id="k"))
    assert (same.undoable, same.state, same.left) == ("no", "cannot", ())
    assert same.not_covered.startswith("It changed no file")
    reverted = ReviewReverted(call_id="c", files=(RevertedFile(path="a.py"),))
    assert only(*call("edit_file", touched=(EDITED,)), reverted, made).state == "undone"
    failed = call("edit_file", call_id="f", outcome="error", is_error=True)
    assert effects(log(*failed, made)) == ()


def test_an_edit_whose_bytes_from_before_are_not_kept_says_so() -> None:
    lost = EDITED.model_copy(update={"before": None})
    effect = only(*call("write_file", checkpoint="", touched=(lost,)))
    assert (effect.undoable, effect.not_covered) == ("partly", "What was in a.py is not kept.")
    assert only(*call("write_file", touched=(lost,))).undoable == "yes"


@pytest.mark.parametrize(
    "events",
    [
        call("read_file", category="read"),
        call("edit_file", outcome="refused"),
        call("edit_file", outcome="error", is_error=True),
        call("edit_file")[:1],
        call("edit_file")[1:],
        call("memory_add"),
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
    within = [UndoBegun(undo_id="u", effect_ids=()), FilesRestored(to_checkpoint_id="k1")]
    assert {effect.state for effect in effects(log(*events, *within))} == {"standing"}


def test_tools_without_an_inverse_cannot_be_taken_back() -> None:
    assert only(*call("anything", category="external")).state == "cannot"
    assert only(*call("pr_rerun_failed_checks", category="external")).undoable == "no"


def test_what_the_call_would_do_counts_beside_what_its_tool_is() -> None:
    assert only(*judged("sql_query", "read", category="external", proven_read=False)).kind == "database"
    assert effects(log(*judged("sql_query", "read", category="read", proven_read=True))) == ()
    assert effects(log(*judged("bash", "bash", category="bash", proven_read=True))) == ()
    assert only(*judged("bash", "bash", category="bash", proven_read=False)).kind == "command"


def test_rows_that_were_kept_can_be_put_back() -> None:
    sqlite: JsonValue = {"verdict": {"dialect": "sqlite"}}

    def write(data: JsonValue, sql: JsonValue = sqlite) -> Effect:
        return only(*judged("sql_query", "read", sql, data, category="external"))

    blob = KEPT.model_dump()
    kept = write({"connection": "app", "rows_kept": {"blob": blob, "count": 2}})
    assert (kept.undoable, kept.state, kept.not_covered) == ("yes", "standing", "")
    assert kept.steps == (RowsStep(connection="app", rows=KEPT, count=2),)
    assert write({"rows_kept": {"blob": blob, "count": "?"}}).steps == (
        RowsStep(connection="None", rows=KEPT, count=0),
    )
    for data, why in [
        ({"no_rows_kept": "the table t has no key"}, "No rows kept: the table t has no key."),
        ({}, "No rows kept: they were not on record."),
        ({"rows_kept": {"blob": {}}}, "No rows kept: they were not on record."),
    ]:
        effect = write(data)
        assert (effect.undoable, effect.state, effect.not_covered, effect.left) == ("no", "cannot", why, ())
    assert write({}, {"verdict": {"dialect": "mysql"}}).not_covered == "No rows kept: not for mysql."
    assert inverse_of(Doing("sql_query", dialect="sqlite")).not_covered == "No rows kept: only rows can be kept."


@pytest.mark.parametrize(
    ("tool", "data", "step", "why"),
    [
        ("commit_changes", {"commit": "abc", "branch": "b"}, BranchStep(branch="b", at="abc"), ""),
        (
            "commit_changes",
            {"commit": "abc", "branch": "b", "amended": True, "before": "old"},
            BranchStep(branch="b", at="abc", to="old"),
            "",
        ),
        ("commit_changes", {"commit": "abc", "branch": "b", "amended": True}, None, "What it did is not on record."),
        (
            "uninstall_skill",
            {"skill": "notes", "sha256": "", "before": "b"},
            SkillStep(skill_id="notes", at="", to="b"),
            "",
        ),
        ("install_skill", {}, None, "What it did is not on record."),
        ("create_lane", {"lane_id": "l"}, ActStep(act="delete_lane", subject="l"), ""),
        ("create_lane", {}, None, "What it did is not on record."),
        ("create_pr_from_lane", {"number": 1}, ActStep(act="close_pull", subject="lane"), ""),
        ("create_pr_from_lane", {"adopted": True}, None, "The request was there before."),
        (
            "pr_resolve_review_thread",
            {"thread_id": "x"},
            ActStep(act="unresolve_thread", subject="lane", text="x"),
            "",
        ),
    ],
)
def test_the_result_of_a_call_names_what_takes_it_back(
    tool: str, data: dict[str, JsonValue], step: Step | None, why: str
) -> None:
    (effect,) = effects(log(SessionStarted(lane_id="lane"), *call(tool, category="external", data=data)))
    assert effect.steps == (() if step is None else (step,))
    assert effect.state == ("cannot" if step is None else "standing")
    assert step is not None or effect.not_covered == why


def test_what_a_child_brought_goes_with_the_branch_and_the_files() -> None:
    taken = call("take_task_changes", data={"commit": "c2", "before": "c0", "branch": "b"})
    assert only(*taken, CheckpointMade(checkpoint_id="k2")).steps == (
        BranchStep(branch="b", at="c2", to="c0"), TreeStep(then="k", now="k2", call_id="c"),
    )  # fmt: skip


def test_what_was_applied_from_a_copy_is_taken_back_whole() -> None:
    decided, started, finished = call("bash", category="bash", checkpoint="")
    files = (EffectFile(path="a.py", kind="modify"),)
    applied = EffectApplied(input_id="i", call_id="c", digest="d", files=files, checkpoint_id="k1")
    effect = only(decided, started, applied, finished, CheckpointMade(checkpoint_id="k2"))
    assert (effect.undoable, effect.state, effect.not_covered) == ("yes", "standing", "")
    assert effect.steps == (TreeStep(then="k1", now="k2", paths=("a.py",), call_id="c"),)


@pytest.mark.parametrize("files", [(), (EffectFile(path="a.py", kind="modify"),)])
def test_ignored_files_that_were_applied_from_a_copy_are_named_as_not_put_back(files: tuple[EffectFile, ...]) -> None:
    decided, started, finished = call("bash", category="bash", checkpoint="")
    beside = (EffectFile(path="a.o", kind="create"), EffectFile(path="b.o", kind="create"))
    applied = EffectApplied(input_id="i", call_id="c", digest="d", files=files, beside=beside, checkpoint_id="k1")
    effect = only(decided, started, applied, finished, CheckpointMade(checkpoint_id="k2"))
    assert effect.not_covered == "2 files that Git ignores cannot be put back: no checkpoint holds them."
    assert (effect.undoable, effect.state) == (("partly", "standing") if files else ("no", "cannot"))
    assert bool(effect.left) is bool(files)


def test_what_is_taken_back_by_hand_alone_has_no_steps() -> None:
    effect = only(*call("rebase_lane", category="external"))
    assert (effect.undoable, effect.state, effect.left) == ("partly", "standing", ())


ON_A_REQUEST = {
    "pr_reply_to_review_thread": ({"thread_id": "T_1", "comment_id": "C_2", "url": "u"}, "delete_reply", "T_1 C_2"),
    "publish_proofs": ({"block_sha256": "ab", "before": "<!-- a -->"}, "put_proofs_back", "ab <!-- a -->"),
}


@pytest.mark.parametrize("tool", ON_A_REQUEST)
def test_words_in_a_request_are_taken_back_where_it_is_known_which_they_were(tool: str) -> None:
    data, act, text = ON_A_REQUEST[tool]
    attached = LaneAttached(lane_id="ln_1")
    (found,) = effects(log(attached, *call(tool, category="external", data=data)))
    assert found.steps == (ActStep.model_validate({"act": act, "subject": "ln_1", "text": text}),)
    assert found.undoable == "yes"
    (unknown,) = effects(log(attached, *call(tool, category="external", data={"url": "u"})))
    assert (unknown.undoable, unknown.state) == ("no", "cannot")
    assert only(*call(tool, category="external", data=data)).undoable == "no", "no lane, no request"


def test_a_rule_is_an_effect_until_it_is_removed() -> None:
    saved = RuleSaved(rule=RULE)
    assert (only(saved).state, only(saved).steps) == ("standing", (RuleStep(rule=RULE),))
    assert only(saved, RuleRemoved(rule_id="r", scope="project")).state == "undone"
    assert effects(log(RuleRemoved(rule_id="r", scope="project"))) == ()
    assert effects(log(RuleSaved(rule=RULE.model_copy(update={"created_by": "chip"})))) == ()


def test_a_boundary_is_an_effect_until_it_is_lifted() -> None:
    rules = (RULE.model_copy(update={"quote": "do not push"}),)
    kept = BoundaryDecided(boundary_id="b", decision="kept", rules=rules)
    effect = only(kept)
    assert (effect.what, effect.steps) == ("Boundary kept: do not push", (ActStep(act="lift_boundary", subject="b"),))
    lifted = BoundaryDecided(boundary_id="b", decision="lifted")
    assert only(kept, lifted).state == "undone"
    assert effects(log(lifted)) == ()


def test_what_is_remembered_is_an_effect() -> None:
    added = MemoryWritten(memory_id="m", content="uses tabs")
    assert only(added).what == "Memory added: uses tabs"
    assert only(added).steps == (ActStep(act="delete_memory", subject="m", version=1),)
    pinned = MemoryWritten(memory_id="m", version=2, change="pinned", by="person")
    assert only(pinned).steps == (ActStep(act="restore_memory", subject="m", version=2),)
    assert effects(log(added.model_copy(update={"by": "app"}))) == ()


def operation(
    name: str,
    status: str = "done",
    by: str = "person",
    text: str = "",
    arguments: JsonValue = None,
    result: JsonValue = None,
) -> list[Event]:
    done = {"operation_id": "o", "operation": name, "lane_id": "l", "status": status, "text": text}
    begun = {"operation_id": "o", "operation": name, "by": by, "arguments": arguments or {}}
    return [
        LaneOperationStarted.model_validate(begun),
        LaneOperationFinished.model_validate({**done, "result": result or {}}),
    ]


def test_operations_of_people_on_lanes_are_effects() -> None:
    effect = only(*operation("switch_branch"))
    assert (effect.what, effect.lane_id, effect.undoable, effect.left) == ("switch branch", "l", "no", ())
    assert only(*operation("delete", text="Deleted a.")).what == "Deleted a."
    assert effects(log(*operation("delete", "failed"), *operation("delete", by="tool"), *operation("setup"))) == ()
    assert effects(log(operation("delete")[1])) == ()


@pytest.mark.parametrize(
    ("name", "arguments", "result", "step"),
    [
        ("create", {}, {}, ActStep(act="delete_lane", subject="l")),
        ("delete", {}, {}, ActStep(act="restore_lane", subject="l")),
        ("archive", {}, {}, ActStep(act="unarchive_lane", subject="l")),
        ("unarchive", {}, {}, ActStep(act="archive_lane", subject="l")),
        ("edit", {"was": {"name": "old"}}, {}, ActStep(act="name_lane", subject="l", text="old")),
        ("switch_branch", {"was": "b"}, {}, ActStep(act="switch_lane", subject="l", text="b")),
        ("commit", {"head": "h"}, {"oid": "o", "branch": "b"}, BranchStep(branch="b", at="o")),
        ("commit", {"head": "h", "amend": True}, {"oid": "o", "branch": "b"}, BranchStep(branch="b", at="o", to="h")),
        ("open_pull_request", {}, {"number": 1}, ActStep(act="close_pull", subject="l")),
        ("set_pull_request", {"to": "closed"}, {}, ActStep(act="reopen_pull", subject="l")),
        ("set_pull_request", {"to": "open"}, {}, ActStep(act="close_pull", subject="l")),
        ("resolve_thread", {"thread": "T"}, {}, ActStep(act="unresolve_thread", subject="l", text="T")),
        ("open_thread_again", {"thread": "T"}, {}, ActStep(act="resolve_thread", subject="l", text="T")),
        ("reply_to_thread", {"thread": "T"}, {"comment": "C"}, ActStep(act="delete_reply", subject="l", text="T C")),
    ],
)
def test_what_takes_an_operation_back(
    name: str, arguments: dict[str, JsonValue], result: dict[str, JsonValue], step: Step
) -> None:
    assert only(*operation(name, arguments=arguments, result=result)).steps == (step,)


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("edit", {}, {}),
        ("edit", {"was": {"name": "old"}}, {"branch": "new"}),
        ("commit", {}, {}),
        ("open_pull_request", {}, {"adopted": True}),
        ("set_pull_request", {"to": "draft"}, {}),
        ("resolve_thread", {}, {}),
        ("reply_to_thread", {"thread": "T"}, {}),
        ("merge_pull_request", {}, {}),
        ("comment", {}, {}),
        ("review", {}, {}),
        ("edit_pull_request", {}, {}),
        ("delete_reply", {}, {}),
        ("rerun_checks", {}, {}),
    ],
)
def test_an_operation_whose_before_is_not_on_record_cannot(
    name: str, arguments: dict[str, JsonValue], result: dict[str, JsonValue]
) -> None:
    effect = only(*operation(name, arguments=arguments, result=result))
    assert (effect.undoable, effect.state) == ("no", "cannot")


def test_what_was_kept_for_some_days_expires_and_says_so() -> None:
    bash, deleted = call("bash", category="bash"), call("delete_file", call_id="d", touched=(EDITED,))
    events = log(*bash, *deleted, *call("write_file", call_id="w", touched=(EDITED,)), *call("x", call_id="x"))

    def states(days: int) -> list[str]:
        return [effect.state for effect in effects(events, AT + timedelta(days=days))]

    assert states(1) == ["cannot", "standing", "standing", "standing"]
    assert states(15) == ["cannot", "standing", "standing", "expired"]
    assert states(31) == ["cannot", "standing", "expired", "expired"]
    *_, delete, command = effects(events, AT + timedelta(days=31))
    assert command.not_covered == "What takes it back was kept for 14 days in checkpoints."
    assert delete.not_covered == "What takes it back was kept for 30 days in the trash."
    assert command.left == ()


def step(undo: str, effect: str, at: int = 0, opposite: Step | None = None) -> UndoStepDone:
    return UndoStepDone(undo_id=undo, effect_id=effect, step=at, opposite=opposite)


@pytest.mark.promise("memory-UL2")
def test_an_undo_is_an_entry_that_can_be_undone_and_that_again() -> None:
    edits = [*call("edit_file", call_id="1", touched=(EDITED,)), *call("edit_file", call_id="2", touched=(EDITED,))]
    one, two, three = (TreeStep(then=str(n), now="x") for n in range(3))
    first = [UndoBegun(undo_id="u", effect_ids=("2", "1"), what="Undo: both"), step("u", "2", opposite=two)]
    cut = ledger_of(log(*edits, *first))
    assert cut.open_undo == first[0]
    assert [effect.state for effect in cut.newest_first()] == ["standing", "undone", "standing"]
    first += [step("u", "1", opposite=one), UndoFinished(undo_id="u")]
    undo, *both = effects(log(*edits, *first))
    assert (undo.what, undo.kind, undo.steps, undo.origins) == ("Undo: both", "undo", (one, two), (("1", 0), ("2", 0)))
    assert [effect.state for effect in both] == ["undone", "undone"]
    second = [UndoBegun(undo_id="v", effect_ids=("u",)), step("v", "u", 0, three), step("v", "u", 1)]
    redo, undo, *both = effects(log(*edits, *first, *second, UndoFinished(undo_id="v")))
    assert (redo.what, redo.steps) == ("Undo", (three,))
    assert [undo.state, *(effect.state for effect in both)] == ["undone", "standing", "standing"]
    third = [UndoBegun(undo_id="w", effect_ids=("v",)), step("w", "v", 0), UndoFinished(undo_id="w")]
    _, redo, undo, second_edit, first_edit = effects(log(*edits, *first, *second, UndoFinished(undo_id="v"), *third))
    assert [redo.state, undo.state, second_edit.state, first_edit.state] == [
        "undone", "partly", "standing", "undone",
    ]  # fmt: skip


def test_what_happens_within_an_undo_is_a_part_of_it() -> None:
    begun = UndoBegun(undo_id="u", effect_ids=("r",))
    inside = [
        RuleRemoved(rule_id="r", scope="project"),
        RuleSaved(rule=RULE.model_copy(update={"id": "r2"})),
        BoundaryDecided(boundary_id="b", decision="kept"),
        MemoryWritten(memory_id="m"),
        *operation("archive"),
    ]
    undo, rule = effects(log(RuleSaved(rule=RULE), begun, *inside, step("u", "r"), step("u", "gone")))
    assert (undo.effect_id, rule.state) == ("u", "undone")
    assert effects(log(step("nobody", "r"))) == ()


def test_a_command_that_was_taken_back_whole_is_partly_undone() -> None:
    events = [*call("bash", category="bash"), CheckpointMade(checkpoint_id="k2")]
    effect = effects(log(*events, UndoBegun(undo_id="u", effect_ids=("c",)), step("u", "c")))[1]
    assert (effect.state, effect.left) == ("partly", ())


def test_many_paths_are_a_few_names_and_a_count() -> None:
    assert named(["a", "b", "c"]) == "a, b, c"
    assert named(["a", "b", "c", "d"]) == "a, b, c and 1 more"
