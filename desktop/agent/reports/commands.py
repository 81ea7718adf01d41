"""ReportCommands: takes the reports of agents, runs the commands of their claims, again on a click."""

import asyncio
import posixpath

from pydantic import JsonValue

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.recording import Outcome
from desktop.agent.gate.judge import Judge
from desktop.agent.reports.book import ReportBook
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.ids import new_id
from desktop.domain.core.work import Activity
from desktop.domain.events import ToolCallFinished
from desktop.domain.reports.commands import CheckClaims, LookAtReports
from desktop.domain.reports.events import ClaimChecked, CompletionReported, EvidenceRecorded
from desktop.domain.reports.values import Claim, CompletionReport
from desktop.domain.reports.verdicts import command_sha256, is_settled
from desktop.services.git.run import head_commit
from desktop.tools.tool import Reported

CLAIM_LIMIT_MS = 600_000
MOST_SAID = 180
NOT_STARTED = "It could not be started."
_REFUSED = {
    "declined": "You declined it.",
    "cancelled": "It was withdrawn.",
    "interrupted": "It was stopped.",
}


class ReportCommands:
    """Engine thread. A command of a claim is a call of bash like any other: judged, asked about, kept, recorded."""

    def __init__(self, sessions: Sessions, book: ReportBook, judge: Judge, caller: ToolCaller) -> None:
        self._sessions = sessions
        self._book = book
        self._judge = judge
        self._caller = caller
        self._checks: dict[str, asyncio.Task[None]] = {}

    def handlers(self) -> dict[type[Command], Handler]:
        """Checking again, and looking."""
        return {CheckClaims: self._check_again, LookAtReports: self._look}

    async def report(self, session: Session, call_id: str, report: CompletionReport) -> Reported:
        """Record what a call reports, after the commands were run that nothing proves yet (lanes-E4).

        Raises:
            StoreError: it could not be recorded.
        """
        claims = tuple(_placed(session, claim) for claim in report.claims)
        stopped = False
        for place, claim in enumerate(claims):
            if claim.kind != "command" or not claim.run or stopped:
                continue
            if not is_settled(claim, await self._book.facts(session.session_id)):
                stopped = (await self._run(session, call_id, place, claim, clicked=False)).stop_turn
        tree = await self._book.tree(session.state.lane_id)
        root = session.files.root if session.files is not None else None
        session.append(
            CompletionReported(
                call_id=call_id,
                summary=report.summary,
                status=report.status,
                claims=claims,
                artifacts=report.artifacts,
                blocker=report.blocker,
                tree=tree,
                head=head_commit(root) if root is not None else "",
                open_todos=sum(todo.status != "completed" for todo in session.state.todos),
            )
        )
        views = await self._book.of_session(session.session_id)
        return Reported(view=views[-1], stopped=stopped)

    def stop(self, session_id: str) -> None:
        """A person stops what runs in this chat: no further claim is checked."""
        task = self._checks.get(session_id)
        if task is not None:
            task.cancel()

    async def close(self) -> None:
        """End every check; what it ran is ended and recorded."""
        tasks = list(self._checks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _look(self, command: LookAtReports) -> None:
        opened = (one for one in self._sessions.opened() if one.session_id == command.session_id)
        self._book.touch(*(session.state.lane_id for session in opened))

    async def _check_again(self, command: CheckClaims) -> None:
        """Raises CommandError `running`, `unknown_report` or `claim_differs`; nothing ran then."""
        session = self._sessions.get(command.session_id)
        if command.session_id in self._checks:
            return
        if session.running:
            raise CommandError("running", "The agent is working. Stop it first, or wait.")
        report = self._book.report(command.session_id, command.report_id)
        if report is None:
            raise CommandError("unknown_report", "This report is not in the chat any more.")
        wanted = [(one.claim, _shown(report, one.claim, one.command_sha256)) for one in command.claims]
        task = asyncio.create_task(self._check(session, command.report_id, wanted), name="check claims")
        self._checks[command.session_id] = task
        task.add_done_callback(lambda _: self._checks.pop(command.session_id, None))
        await asyncio.wait({task})
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error

    async def _check(self, session: Session, report_id: str, wanted: list[tuple[int, Claim]]) -> None:
        waiting = {(session.session_id, report_id, place) for place, _ in wanted}
        self._book.checks(session.session_id, report_id, [place for place, _ in wanted])
        try:
            for place, claim in wanted:
                outcome = await self._run(session, report_id, place, claim, clicked=True)
                self._book.checking.discard((session.session_id, report_id, place))
                self._book.touch(session.state.lane_id)
                if outcome.stop_turn:
                    return
        finally:
            self._book.checking -= waiting
            self._book.touch(session.state.lane_id)
            if session.processes is not None:
                await asyncio.shield(session.processes.end_leftovers())
            if not session.running:
                session.set_activity(Activity.IDLE)

    async def _run(self, session: Session, report_id: str, place: int, claim: Claim, *, clicked: bool) -> Outcome:
        """Run the command of a claim as a call of bash, and record what came of it. `clicked`: a person just asked for
        this very command."""
        call_id = new_id("call_")
        raw: dict[str, JsonValue] = {
            "command": claim.command,
            "cwd": claim.cwd,
            "timeout_ms": CLAIM_LIMIT_MS,
            "description": f"To check: {claim.text}"[:MOST_SAID],
        }
        await self._judge.ready()
        prepared = await self._caller.prepare(session, call_id, "bash", raw)
        outcome = await self._caller.carry_out(session, prepared, clicked=clicked)
        session.record(
            ClaimChecked(
                report_id=report_id,
                claim=place,
                call_id=call_id,
                command_sha256=command_sha256(claim.command),
                by="person" if clicked else "report",
                refused=self._refused(session, call_id, outcome, prepared.refusal),
            )
        )
        return outcome

    def _refused(self, session: Session, call_id: str, outcome: Outcome, refusal: str) -> str:
        """Why a command did not run, "" if it did."""
        if outcome.outcome in ("ok", "error"):
            newest = (envelope.event for envelope in reversed(session.log[-50:]))
            ran = any(isinstance(event, EvidenceRecorded) and event.call_id == call_id for event in newest)
            return "" if ran else NOT_STARTED
        if outcome.outcome == "refused":
            return refusal or _result(session, call_id)
        nobody = not self._caller.can_ask and outcome.outcome == "declined"
        return "Nobody could be asked." if nobody else _REFUSED.get(outcome.outcome, NOT_STARTED)


def _placed(session: Session, claim: Claim) -> Claim:
    """The claim with its folder as the lane's own files are named."""
    if claim.kind != "command" or session.files is None:
        return claim
    try:
        facts = session.files.resolve(claim.cwd or ".", "list")
    except (BanksmanError, OSError, ValueError):
        return claim
    return claim.model_copy(update={"cwd": facts.rel if facts.verdict == "inside" else posixpath.normpath(claim.cwd)})


def _shown(report: CompletionReported, place: int, sha256: str) -> Claim:
    """The claim that was on screen."""
    claim = report.claims[place] if 0 <= place < len(report.claims) else None
    if claim is None or claim.kind != "command" or command_sha256(claim.command) != sha256:
        raise CommandError("claim_differs", "This claim is not the one that was on screen.")
    return claim


def _result(session: Session, call_id: str) -> str:
    """What a call was told, in one line."""
    for envelope in reversed(session.log[-50:]):
        event = envelope.event
        if isinstance(event, ToolCallFinished) and event.call_id == call_id and isinstance(event.content, str):
            return next(iter(event.content.splitlines()), "")[:300]
    return "It was refused."
