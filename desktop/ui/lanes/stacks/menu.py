"""What a person does to bring the work of lanes together: the entries of the lane's menu for it."""

from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.domain.lanes.commands import ContinueOperation, ReparentLane, TryInCheckout
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.lanes.updates import ConflictsLoaded, HandoverChanged, LaneOperationChanged
from desktop.language import tr
from desktop.ui.changes.dialogs.push_lanes import PushLanesDialog
from desktop.ui.core.requests import Ask
from desktop.ui.lanes.dialogs.parent import LaneParentDialog
from desktop.ui.lanes.ends import archive_lane, below
from desktop.ui.lanes.host import LaneHost
from desktop.ui.lanes.stacks.conflicts import ConflictsDialog, abort_question
from desktop.ui.lanes.stacks.merge import MergeLaneDialog
from desktop.ui.lanes.stacks.run import StackRunDialog
from desktop.ui.lanes.state import operation_words
from desktop.ui.widgets.dialogs.ask import AskDialog, Question

MOST_FILES = 50
_TRY = tr(
    "This is done in your checkout, which has to be clean: it leaves its branch and shows the lane's files. What you "
    "edit there comes into the lane when you bring it back."
)


def update_from_base(host: LaneHost, lane_id: str) -> None:
    """Put a lane, and what stacks on it, on the newest of its base."""
    lane = host.lane(lane_id)
    if lane is not None:
        _stack_run(host, lane).load()


def show_going_on(host: LaneHost, update: LaneOperationChanged) -> None:
    """Show the run that goes on by itself once a conflict of it was resolved."""
    lane = host.lane(update.lane_id) if update.run_id else None
    if lane is not None:
        _stack_run(host, lane).follow(update.run_id)


def _stack_run(host: LaneHost, lane: Lane) -> StackRunDialog:
    lane_id = lane.id
    status, parent = host.status(lane_id), host.lane(lane.parent_id)
    facts = (status.behind if status is not None else None, parent.branch if parent else lane.base_ref, host.last_run())
    dialog = StackRunDialog(lane, below(host, lane_id), _Work(host, lane), host.window, facts)
    host.show(dialog, dialog.hearing)
    return dialog


def merge_into_base(host: LaneHost, lane_id: str) -> None:
    """Show what merging a lane would give, and merge it if a person wants that."""
    lane = host.lane(lane_id)
    if lane is None:
        return
    dialog = MergeLaneDialog(lane, len(_children(host, lane_id)), _Work(host, lane), host.window)
    host.show(dialog, dialog.hearing)


def try_in_checkout(host: LaneHost, lane_id: str) -> None:
    """Show a lane's files in the person's own checkout, once they have agreed."""
    lane = host.lane(lane_id)
    if lane is None:
        return
    question = Question(
        "lane_try_dialog",
        tr("Try lane “{name}” in your checkout?", name=display_text(lane.name)),
        _TRY,
        (tr("Cancel"), "lane_try_cancel"),
        (tr("Try in my checkout"), "lane_try_go"),
        dangerous=False,
    )
    dialog = AskDialog(question, host.window)
    dialog.agreed.connect(lambda: host.send(TryInCheckout(lane_id=lane_id)))
    host.show(dialog)


def show_conflicts(host: LaneHost, lane_id: str) -> None:
    """Show the files in conflict of what is open in a lane."""
    lane = host.lane(lane_id)
    if lane is not None:
        dialog = ConflictsDialog(lane, _Work(host, lane), host.window)
        host.show(dialog, dialog.hearing, beside=True)


def continue_operation(host: LaneHost, lane_id: str) -> None:
    """Go on with what is open in a lane."""
    host.send(ContinueOperation(lane_id=lane_id))


def abort_operation(host: LaneHost, lane_id: str) -> None:
    """Take back what is open in a lane, once a person has agreed."""
    lane, status = host.lane(lane_id), host.status(lane_id)
    if lane is not None:
        dialog = abort_question(status.operation if status is not None else "", host.window)
        dialog.agreed.connect(lambda: host.send(ContinueOperation(lane_id=lane_id, abort=True)))
        host.show(dialog)


def choose_parent(host: LaneHost, lane_id: str) -> None:
    """Let a lane stack on another one, or on none."""
    lane = host.lane(lane_id)
    if lane is None:
        return
    taken = {lane_id, *(one.id for one in below(host, lane_id))}
    possible = [one for one in host.lanes() if one.type != "primary" and one.state == "active" and one.id not in taken]
    dialog = LaneParentDialog(lane, possible, host.window)
    dialog.chosen.connect(lambda parent_id: host.send(ReparentLane(lane_id=lane_id, parent_id=parent_id)))
    host.show(dialog)


def tell_of_checkout(host: LaneHost, update: HandoverChanged) -> None:
    """Say what came of showing a lane in the checkout and of bringing it back."""
    if update.text:
        host.note(update.text)


def is_workable(lane: Lane, _status: LaneStatus | None) -> bool:
    """A lane beside the checkout, in use."""
    return lane.type != "primary" and lane.state == "active" and bool(lane.branch)


def has_operation(lane: Lane, status: LaneStatus | None) -> bool:
    """A rebase or merge is open in it."""
    return lane.type != "primary" and status is not None and bool(status.operation)


def work_hindrance(_lane: Lane, status: LaneStatus | None) -> str:
    """Why a lane cannot be rebased or merged now."""
    if status is not None and status.operation:
        return tr(
            "A {operation} is open in this lane. Continue or abort it first.",
            operation=operation_words(status.operation),
        )
    if status is not None and status.dirty:
        return tr("It has changes that are not committed. Commit them first.")
    return ""


def try_hindrance(_lane: Lane, status: LaneStatus | None) -> str:
    """Why a lane cannot be shown in the checkout now."""
    return (
        tr("A {operation} is open in this lane.", operation=operation_words(status.operation))
        if status is not None and status.operation
        else ""
    )


def agent_text(lane: Lane, found: ConflictsLoaded) -> str:
    """The first message of a chat that resolves conflicts: what is open, both sides, the files, and what to do."""
    files = [file for file in found.files if not file.resolved]
    lines = [
        f"A {found.operation} of this lane ({lane.branch}) stopped because files are in conflict. Please resolve them.",
        "",
        f"“Ours”, what the work is put on: {found.ours_name}",
        f"“Theirs”, what is being put there: {found.theirs_name}",
        "",
        "Files in conflict:",
        *(f"- {file.path}{f' ({file.note})' if file.note else ''}" for file in files[:MOST_FILES]),
    ]
    if len(files) > MOST_FILES:
        lines.append(f"- and {len(files) - MOST_FILES} more; git status names them")
    return "\n".join(
        [
            *lines,
            "",
            "Edit each file so that it keeps what both sides meant, and take the marks (<<<<<<<, =======, >>>>>>>) "
            "out. Run the tests if there are any. Do not run git rebase, git merge or git add: I mark the files as "
            "resolved and continue myself. Tell me at the end what you decided in each file.",
        ]
    )


def _children(host: LaneHost, lane_id: str) -> list[Lane]:
    return [one for one in host.lanes() if one.parent_id == lane_id and one.state == "active"]


class _Work:
    """What the dialogs work with."""

    def __init__(self, host: LaneHost, lane: Lane) -> None:
        self._host, self._lane = host, lane
        self.order: Ask = host.order
        self.ask: Ask = host.requests.ask

    def name(self, lane_id: str) -> str:
        """The name of a lane, "" when it is gone."""
        lane = self._host.lane(lane_id)
        return lane.name if lane is not None else ""

    def resolve(self, lane_id: str) -> None:
        """Show the files in conflict of a lane."""
        show_conflicts(self._host, lane_id)

    def push(self, over: QWidget, lane_ids: tuple[str, ...], branch: str = "") -> None:
        """Show over a dialog what pushing these lanes would do, or pushing this branch."""
        dialog = PushLanesDialog(lane_ids, branch, self._host.requests.ask, over)
        self._host.show(dialog)

    def archive(self) -> None:
        """Ask how the lane is to be archived."""
        archive_lane(self._host, self._lane.id)

    def rebase_children(self) -> None:
        """Take the children off the lane, onto its base."""
        for child in _children(self._host, self._lane.id):
            self._host.send(ReparentLane(lane_id=child.id, parent_id=self._lane.parent_id))

    def ask_agent(self, found: ConflictsLoaded) -> None:
        """Begin a chat in the lane."""
        self._host.start_chat(self._lane.id, agent_text(self._lane, found))
