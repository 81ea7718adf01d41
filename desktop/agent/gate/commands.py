"""GateCommands: what a person does at the gate: answers, changed calls, modes, the mark of taint, effects shown."""

import asyncio
from typing import Literal

from desktop.agent.core.commands import Handler
from desktop.agent.core.notes import note
from desktop.agent.core.session import Publish
from desktop.agent.core.sessions import Sessions
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.prepared import edited_arguments
from desktop.agent.gate.calls.wider import keep_offer
from desktop.agent.gate.descent import share_grants, tighten, widest_for
from desktop.agent.gate.grants import host_rules
from desktop.agent.gate.inputs import PendingInputs, Waiting
from desktop.agent.gate.judge import Judge, nobody, nothing
from desktop.agent.gate.open_cards import OpenCards
from desktop.agent.gate.own_words import cleaned, marks_of, new_secrets, told_of
from desktop.domain import commands as c
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.permissions import PermissionMode, Verdict, mode_label
from desktop.domain.display.shown_text import shown_text
from desktop.domain.events import Event, InputRequested, ModeChanged
from desktop.domain.gate.commands import GiveRules, WithdrawInput
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.events import EffectPreviewed, SandboxChosen, TaintCleared
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.updates import EditChecked, EffectShown, ToolsListed
from desktop.policy.mcp.facts import rule_of
from desktop.store.core.blobs import BlobStore

NO_SANDBOX = "no_sandbox"
"""The code of what is refused because a person must choose first."""
_HOLDS_SECRET = "What you changed holds a secret, which would be on record. The agent can ask you for one on a card"
NEEDS_CHOICE = (
    "Full auto needs a sandbox that stops everything, or your choice to go without: in its dialog, or with "
    "--without-sandbox for banksman run."
)


class GateCommands:
    """All on the engine thread."""

    def __init__(
        self,
        sessions: Sessions,
        inputs: PendingInputs,
        judge: Judge,
        caller: ToolCaller,
        publish: Publish,
        blobs: BlobStore,
    ) -> None:
        self._sessions = sessions
        self._inputs = inputs
        self._judge = judge
        self._caller = caller
        self.rules = judge.rules
        self._sandbox = judge.sandbox
        self._publish = publish
        self._blobs = blobs
        self._tasks: set[asyncio.Task[None]] = set()
        self._wanted: dict[str, str] = {}
        self.cards = OpenCards(inputs, judge, caller)
        inputs.asked.add(self._asked)
        judge.sandbox.lost.add(self.sandbox_lost)
        judge.sandbox.changed.add(lambda: self.cards.judge_again("sandbox"))
        judge.rules.told.add(self._record_rule)
        judge.rules.changed.add(lambda: self.cards.judge_again("rule"))

    # Answers

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about cards, modes and marks that no other part carries out."""
        return {
            c.CheckEdit: self.check_edit,
            c.PreviewEffect: self.preview_effect,
            c.PreviewRule: self.preview_rule,
            c.ClearTaint: self.clear_taint,
            c.SetMode: self.set_mode,
            c.LoadTools: self.list_tools,
            GiveRules: self.give_rules,
            WithdrawInput: self.withdraw,
        }

    async def answer(self, command: c.AnswerInput, *, applies: bool = False) -> None:
        """A person's answer to a card. A rule is saved before the card is closed (gate-I9). `applies`: it may name the
        effect of a try, which was looked at.

        Raises:
            CommandError: it cannot be given, or its rule cannot be saved; the card stays open. `no_sandbox`: a plan
                was approved in full auto, and the person must choose first.
        """
        if command.answer.effect and not applies:
            raise CommandError("wrong_kind", "The effect of a try is applied by its own button.")
        request = self._inputs.shown(command.session_id, command.input_id, command.digest)
        said = cleaned(request, command.answer, self._judge.redactor())
        command = command.model_copy(update={"answer": said})
        answer = self._inputs.check(command.session_id, command.input_id, command.answer, digest=command.digest)
        if answer.outcome == "allow_always":
            await self._save_rules(command, answer)
        if answer.mode is PermissionMode.FULL_AUTO:
            await self._allow_full_auto(command, answer)
        kept = self._blobs.put(shown_text(request).encode("utf-8", "surrogatepass"), "text/plain")
        self._inputs.resolve(
            command.session_id,
            command.input_id,
            command.answer,
            digest=command.digest,
            shown=kept.sha256,
            person="" if command.demo else command.person,
        )
        session = self._sessions.get(command.session_id)
        if told := told_of(session, marks_of(request, said, self._judge.redactor()), "answer"):
            session.append_many(told)
        if answer.outcome == "allow_always":
            share_grants(self._sessions.get(command.session_id))
            self.cards.judge_again("rule")

    async def _allow_full_auto(self, command: c.AnswerInput, answer: Answer) -> None:
        """Record what full auto needs before a plan is approved in it (gate-I18)."""
        events = await self.full_auto_events(accepted=answer.without_sandbox)
        self._inputs.check(command.session_id, command.input_id, command.answer, digest=command.digest)
        self._sessions.get(command.session_id).append_many(events)

    async def _save_rules(self, command: c.AnswerInput, answer: Answer) -> None:
        """Save the rules that the answer makes, none for a grant without tokens. What came in between while past calls
        were looked at counts: a card that is closed by then makes no rule."""
        waiting, request, prepared = self._inputs.approval(command.session_id, command.input_id)
        if waiting.session.taint[0]:
            raise CommandError("grant_not_offered", "This chat has read secrets, so its calls are allowed once only.")
        mcp = prepared.facts.mcp if prepared.facts is not None else None
        if mcp is not None and answer.scope == "project":
            self.rules.save_from_card(waiting.session, [rule_of(mcp, command.input_id)], command.input_id)
            return
        shown = self._inputs.shown(command.session_id, command.input_id, command.digest)
        grants = shown.grants if isinstance(shown, ApprovalRequest) else request.grants
        grant = next((offer for offer in grants if offer.scope == answer.scope), None)
        if grant is not None and grant.host:
            self.rules.save_from_card(waiting.session, [self.rules.host_rule(grant.host, prepared)], command.input_id)
            return
        if grant is not None and grant.hosts:
            rules = host_rules(grant, command.input_id)
            self.rules.save_from_card(waiting.session, rules, command.input_id)
            return
        offered = grant.tokens if grant is not None else ()
        if not offered:
            return
        tokens = answer.tokens or offered
        made = await self.rules.checked_from_card(waiting.session, prepared, answer, tokens, command.input_id)
        self._inputs.check(command.session_id, command.input_id, command.answer, digest=command.digest)
        self.rules.save_from_card(waiting.session, made, command.input_id)

    async def withdraw(self, command: WithdrawInput) -> None:
        """Close a card that nobody answered in time; nothing where it is closed by now."""
        self._inputs.close(command.input_id, "no_person", Answer(outcome="reject"))

    async def give_rules(self, command: GiveRules) -> None:
        """Have rules count in one chat.

        Raises:
            CommandError: one of them may not be made; none counts.
        """
        session = self._sessions.get(command.session_id)
        session.append_many(self.rules.of_chat(command.rules))
        self.cards.judge_again("rule", session)

    async def list_tools(self, command: c.LoadTools) -> None:
        """Tell what becomes of the calls of each tool in each mode."""
        await self._judge.ready()
        self._publish(ToolsListed(rows=self._judge.tool_table()))

    async def preview_rule(self, command: c.PreviewRule) -> None:
        """What rules made from an open card would cover."""
        waiting, _, prepared = self._inputs.approval(command.session_id, command.input_id)
        await self.rules.preview(command, waiting.session, prepared)

    async def check_edit(self, command: c.CheckEdit) -> None:
        """Judge an open call as a person changed it; nothing is recorded (gate-G27)."""
        waiting, request, prepared = self._inputs.approval(command.session_id, command.input_id)
        given = command.edited_input
        free, before = request.editable, request.arguments
        locked = [name for name in given if name not in free and (name not in before or given[name] != before[name])]
        if locked:
            raise CommandError("not_editable", f"{', '.join(sorted(locked))} cannot be changed on this card.")
        if secrets := new_secrets(given, before, self._judge.redactor()):
            self._tell_edit(command, problem=f"{_HOLDS_SECRET} ({', '.join(secrets)}).")
            return
        again = self._judge.judge(waiting.session, prepared.call_id, prepared.name, edited_arguments(prepared, given))
        if again.decision.verdict is Verdict.DENY:
            self._tell_edit(command, problem=again.refusal)
            return
        shown = self._caller.request(waiting.session, again, edited_from=request.digest)
        waiting.edits[shown.digest] = (given, shown)
        self._tell_edit(command, request=shown)

    def _tell_edit(self, command: c.CheckEdit, *, request: ApprovalRequest | None = None, problem: str = "") -> None:
        self._publish(
            EditChecked(
                session_id=command.session_id,
                input_id=command.input_id,
                edited_input=command.edited_input,
                request=request,
                problem=problem,
            )
        )

    def _record_rule(self, event: Event, project_id: str) -> None:
        """A rule was changed in Settings: in the log of every chat that is open and that it counts for (gate-A1)."""
        for session in self._sessions.opened():
            if project_id in ("", session.state.project_id):
                session.record(event)

    # Mode

    async def set_mode(self, command: c.SetMode) -> None:
        """Change a session's mode. Full auto needs a sandbox that works, or the person's recorded choice (gate-G8).

        Raises:
            CommandError: `no_sandbox`: the person must choose first; the report was published. `no_lane`.
        """
        session = self._sessions.get(command.session_id)
        self._wanted[command.session_id] = command.command_id
        if command.mode is session.state.mode:
            return
        if widest_for(session, command.mode) is not command.mode:
            raise CommandError("mode_capped", "A sub-agent can do no more than its file and the chat above it allow.")
        if session.state.lane_id == "":
            raise CommandError("no_lane", "This chat has no lane to change files in, so it can only plan.")
        events: list[Event] = []
        if command.mode is PermissionMode.FULL_AUTO:
            events += await self.full_auto_events(accepted=command.without_sandbox)
            if self._wanted[command.session_id] != command.command_id:
                return  # another mode was chosen while the sandbox was tried; the last choice counts
        events.append(ModeChanged(mode=command.mode, previous=session.state.mode, by="person"))
        if session.running:
            events.append(note("mode_changed", f"The user switched to {mode_label(command.mode)} mode."))
        session.append_many(events)
        tighten(session, self._sessions.opened())
        self.cards.judge_again("mode", session)

    async def full_auto_events(self, *, accepted: bool) -> list[Event]:
        """What is recorded before full auto begins: the probe, and the person's choice where it is not full.

        Raises:
            CommandError: `no_sandbox`.
        """
        report = await self._sandbox.probe()
        events: list[Event] = [self._sandbox.probed()]
        if report.level != "full":
            if not accepted:
                raise CommandError(NO_SANDBOX, f"{NEEDS_CHOICE} {report.reason}".rstrip())
            gaps = report.gaps or (report.reason,)
            events.append(SandboxChosen(level=report.level, gaps=gaps, report_id=report.id))
        return events

    def sandbox_lost(self, report: SandboxReport) -> None:
        """The sandbox stopped working: every full-auto session goes to Edit and says which probe failed (gate-G9)."""
        failed = ", ".join(probe.name for probe in report.probes if probe.outcome == "failed") or report.reason
        for session in self._sessions.opened():
            if session.state.mode is PermissionMode.FULL_AUTO:
                changed = ModeChanged(
                    mode=PermissionMode.EDIT,
                    previous=PermissionMode.FULL_AUTO,
                    by="system",
                    reason=f"The sandbox stopped working ({failed}), so full auto ended.",
                )
                session.append(changed)
                self.cards.judge_again("mode", session)

    async def clear_taint(self, command: c.ClearTaint) -> None:
        """A person trusts the session again."""
        session = self._sessions.get(command.session_id)
        if session.state.tainted:
            session.append(TaintCleared())
            self.cards.judge_again("taint", session)

    # Effects

    def _asked(self, waiting: Waiting) -> None:
        """A card is open: its offer can be taken, and the effect of its SQL, or where its address leads, is shown by
        itself where that is safe (gate-Q21, tools-T90)."""
        keep_offer(self._judge, waiting)
        facts = waiting.prepared.facts if waiting.prepared is not None else None
        if facts is not None and (facts.sql or facts.web):
            task = asyncio.create_task(self._show_effect(waiting, by_person=_was_asked_for(waiting)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def preview_effect(self, command: c.PreviewEffect) -> None:
        """Try the SQL of an open card and roll it back, because the person asked."""
        waiting, _, _ = self._inputs.approval(command.session_id, command.input_id)
        await self._show_effect(waiting, by_person=True)

    async def _show_effect(self, waiting: Waiting, *, by_person: bool) -> None:
        prepared = waiting.prepared
        if prepared is None or prepared.tool is None or prepared.args is None:
            return
        context = self._judge.context(waiting.session, prepared.call_id, nobody, nothing)
        try:
            preview = await prepared.tool.preview(prepared.args, context, by_person)
        except BanksmanError as error:
            preview = EffectPreview(problem=str(error))
        if preview is None or waiting.future.done():
            return
        session_id = waiting.session.session_id
        by: Literal["person", "auto"] = "person" if by_person else "auto"
        waiting.session.append(EffectPreviewed(input_id=waiting.input_id, preview=preview, by=by))
        self._publish(EffectShown(session_id=session_id, input_id=waiting.input_id, preview=preview))


def _was_asked_for(waiting: Waiting) -> bool:
    """Whether a person had asked for the effect of this very call on an earlier card of it."""
    if waiting.prepared is None or not waiting.prepared.asked_anew:
        return False
    events = list(waiting.session.turn_events())
    cards = {e.input_id for e in events if isinstance(e, InputRequested) and e.call_id == waiting.prepared.call_id}
    return any(isinstance(e, EffectPreviewed) and e.by == "person" and e.input_id in cards for e in events)
