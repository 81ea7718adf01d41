"""Judge: from a call as the model made it to a decision on record, and the context its handler works in."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from pydantic import JsonValue

from desktop.agent.core.foreign_input import input_digest, input_problem
from desktop.agent.core.offers import Offers
from desktop.agent.core.session import Session
from desktop.agent.gate.approval import HOSTED_WRITES_KEY, Surroundings
from desktop.agent.gate.calls.card import call_card
from desktop.agent.gate.calls.consent import call_action
from desktop.agent.gate.calls.prepared import Prepared, refused
from desktop.agent.gate.calls.warnings import warnings_of
from desktop.agent.gate.descent import asker_of, children_facts, may_have
from desktop.agent.gate.git_consent import settings_in_force
from desktop.agent.gate.profile import profile_of, reaches_network
from desktop.agent.gate.rules import RuleCommands
from desktop.agent.gate.sandbox import SandboxCommands
from desktop.agent.gate.tool_table import tool_table
from desktop.agent.hooks.calls import CallHooks
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.permissions import Category, PermissionMode, Verdict
from desktop.domain.events import ToolCallDecided
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.events import SandboxProbed
from desktop.domain.gate.pending import Answer, InputRequest
from desktop.domain.gate.redaction import Redactor
from desktop.domain.gate.tool_table import ToolRow
from desktop.domain.guests.values import guest_of
from desktop.late import late
from desktop.policy import refusals
from desktop.policy.gate import CallFacts, SessionGateFacts, decide
from desktop.policy.lazy import judgement_is_loaded, load_judgement
from desktop.policy.rules import CallSubject
from desktop.records import dataclass
from desktop.services.databases.connections import Databases
from desktop.services.lanes.identity import lane_moved
from desktop.store.core.blobs import BlobStore
from desktop.tools.arguments import ArgumentsError, parse_args
from desktop.tools.guests.peer import CallOrigin, GuestPeer
from desktop.tools.offers import BackgroundShells, ChatMemory, Person
from desktop.tools.registry import Registry
from desktop.tools.tool import (
    SessionFacts,
    Tool,
    ToolArgs,
    ToolContext,
    ToolError,
)

logger = logging.getLogger(__name__)

Ask = Callable[[InputRequest], Awaitable[Answer]]
Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class JudgeNeeds:
    """Where a judge gets what is not in the call: the person's rules, the sandbox, hooks, and what takes secrets out of
    texts. `found`: the tools that a chat has beside the program's. `hosted`: no chat has a window, whoever began it."""

    rules: RuleCommands
    sandbox: SandboxCommands
    hooks: CallHooks
    redactor: Callable[[], Redactor] = Redactor
    found: Callable[[Session], Iterable[tuple[Tool[Any], ...]]] = lambda session: ()
    hosted: bool = False


NOT_OF_RESOLVERS = frozenset({BackgroundShells, Person, Databases})
"""What a resolver chat is not counted on to have when its tools are foretold."""


class Judge:
    """Collects the facts of a call and asks the gate. It runs nothing and asks nobody.

    `can_ask`: a person can answer cards in this process. `offers`: what themes have for the tools of a chat.
    """

    def __init__(
        self, registry: Registry, blobs: BlobStore, needs: JudgeNeeds, offers: Offers, *, can_ask: bool
    ) -> None:
        self.blobs = blobs
        self.rules = needs.rules
        self.sandbox = needs.sandbox
        self.hooks = needs.hooks
        self.redactor = needs.redactor
        self._registry = registry
        self._found = needs.found
        self._hosted = needs.hosted
        self._can_ask = can_ask
        self._offers = offers

    def offered(self, session: Session) -> tuple[Tool[Any], ...]:
        """The tools this session's model is told of now, sorted by name."""
        known = self.known(session)
        offered = known.offered(session.mode, self._present(session, known), session.state.surface)
        if not session.state.parent_session_id:
            return offered
        above = self.offered(session.parent) if session.parent is not None else ()
        return tuple(tool for tool in offered if may_have(session, tool, above))

    def resolver_tools(self, mode: PermissionMode) -> frozenset[str]:
        """The names that a resolver chat of this mode would be offered in a lane with a pull request."""
        present = self._registry.needs - NOT_OF_RESOLVERS
        return frozenset(tool.name for tool in self._registry.offered(mode, present, "resolver"))

    def runs_parallel(self, session: Session, name: str) -> bool:
        """Whether calls of that name may have company at all."""
        tool = self.known(session).resolve(name)
        return tool is not None and tool.runs_parallel

    def proper_name(self, session: Session, name: str) -> str:
        """The name of the tool that a call means, the name as it was called if there is none."""
        tool = self.known(session).resolve(name)
        return tool.name if tool is not None else name

    def tool_table(self) -> tuple[ToolRow, ...]:
        """What becomes of the calls of each tool in each mode, with the sandbox that there is."""
        return tool_table(self._registry, self.sandbox.level)

    async def ready(self) -> None:
        """Once it is known in which sandbox a command would run, and what judges command lines is imported."""
        await self.sandbox.ready()
        if not judgement_is_loaded():  # the loop would stand still until another thread has imported it
            await asyncio.to_thread(load_judgement)

    async def foresee(self, session: Session, call_id: str, name: str, raw: JsonValue) -> None:
        """Let the tool of a call look at what `judge` will ask it, where that takes a while. What is wrong with the
        call is told when it is judged."""
        tool = self._registry.resolve(name)
        if tool is None or tool.foresee is None or tool not in self.offered(session):
            return
        with contextlib.suppress(BanksmanError):
            await tool.foresee(parse_args(tool, raw), self.context(session, call_id, nobody, nothing))

    def judge(self, session: Session, call_id: str, name: str, raw: JsonValue) -> Prepared:
        """One call judged as things are now, in the order of gate-G16; the first refusal ends it."""
        prepared = Prepared(call_id=call_id, name=name, raw=raw)
        offered = self.offered(session)
        tool = self.known(session).resolve(name)
        if tool is None:
            return refused(prepared, "unknown_tool", refusals.unknown_tool(name, [known.name for known in offered]))
        prepared = replace(prepared, tool=tool)
        problem = input_problem(raw)
        if problem:
            return refused(prepared, "arguments", f"Invalid arguments for {tool.name}: {problem}.")
        try:
            args = parse_args(tool, raw)
        except ArgumentsError as error:
            return refused(prepared, "arguments", str(error))
        prepared = replace(prepared, args=args)
        if tool not in offered and not tool.withdrawn:
            return refused(prepared, "offered", self._not_offered(session, tool))
        if session.files is None:
            return refused(prepared, "lane_moved", refusals.LANE_MOVED)
        try:
            return self._decided(session, prepared, tool, args)
        except ArgumentsError as error:  # the tool knows that this call cannot run, so nobody is asked (tools-T14)
            return refused(prepared, "arguments", str(error))
        except Exception as error:  # any failure to judge is a refusal, never a hole (gate-G1)
            logger.exception("call %s could not be judged", call_id)
            return refused(prepared, "gate_error", refusals.gate_error(type(error).__name__))

    def _not_offered(self, session: Session, tool: Tool[Any]) -> str:
        if session.state.agent is not None and not session.state.agent.may_have(tool.name):
            return refusals.not_of_agent(tool.name, session.state.agent.name)
        if session.state.surface not in tool.surfaces:
            return refusals.not_on_surface(tool.name)
        present = self._present(session, self.known(session))
        missing = [need.__name__ for need in tool.needs if need not in present]
        return refusals.not_offered(tool.name, session.mode, missing)

    def _decided(self, session: Session, prepared: Prepared, tool: Tool[Any], args: ToolArgs) -> Prepared:
        marks = self._marks(tool, args)
        if marks:
            raise ArgumentsError(refusals.holds_marks(tool.name, marks))
        facts = self._facts(session, prepared.call_id, tool, args)
        known = self.session_facts(session)
        decision = decide(facts, known)
        prepared = replace(prepared, facts=facts, session=known, decision=decision)
        if decision.verdict is Verdict.DENY:
            lane = session.lane.name if session.lane is not None else ""
            text = refusals.refusal_text(decision, tool=tool.name, mode=session.mode, lane=lane, paths=facts.paths)
            return replace(prepared, refusal=text)
        return replace(prepared, action=call_action(session, tool, args, facts))

    def session_facts(self, session: Session) -> SessionGateFacts:
        """What the rules may know of the session now."""
        root, lane = session.root.state, session.lane
        tainted, reasons = session.taint
        hosted_grant = any(one.state.hosted_grant for one in (session, *session.above))
        return SessionGateFacts(
            mode=session.mode,
            kind="hosted" if self._hosted or root.kind == "hosted" else "interactive",
            primary_allowed=session.state.primary,
            on_primary=lane is not None and lane.type == "primary",
            hosted_grant=hosted_grant and HOSTED_WRITES_KEY in session.session_grants,
            lane_moved=lane is None or lane_moved(lane),
            session_grants=session.session_grants,
            answerable=self._can_ask,
            sandbox=self.sandbox.level,
            keeps_hosts=self.sandbox.report is not None and self.sandbox.report.tier == "bwrap",
            tainted=tainted,
            holds_secrets=bool(set(reasons) - {"untrusted"}),
            search_first=self._must_search(session),
            bash_words=session.state.agent.bash_words if session.state.agent is not None else (),
        )

    def _must_search(self, session: Session) -> bool:
        """Whether the turn has to look into the memory before it changes anything (memory-ME20)."""
        memory = session.state.memory
        waits = memory.needed == "required" and not memory.satisfied
        return waits and self._offers.of(session, ChatMemory) is not None

    @property
    def report_id(self) -> str:
        """The sandbox report in force, "" if none was made."""
        return self.sandbox.report.id if self.sandbox.report is not None else ""

    def unrecorded_probe(self, session: Session, prepared: Prepared) -> SandboxProbed | None:
        """The sandbox report that a command was judged with, if this session's log does not have it yet."""
        known = session.state.sandbox
        if prepared.facts is None or prepared.facts.command is None or self.sandbox.report is None:
            return None
        return None if known is not None and known.id == self.report_id else self.sandbox.probed()

    def surroundings(self, session: Session, prepared: Prepared, changed: tuple[str, ...] = ()) -> Surroundings:
        """What a card says beside the call itself."""
        lane, origin = session.lane, self._origin(session, prepared.call_id)
        return Surroundings(
            session=self.session_facts(session),
            rules=self.rules.in_force(session),
            report=self.sandbox.report,
            warnings=warnings_of(prepared, self.redactor(), lane.worktree_path if lane is not None else ""),
            changed=changed,
            asker=origin.asker if origin is not None else asker_of(session),
        )

    def _marks(self, tool: Tool[Any], args: ToolArgs) -> tuple[str, ...]:
        """Marks of removed secrets in what a file would become: writing them would destroy the secret in the file."""
        if tool.category is not Category.WRITE:
            return ()
        texts = [value for value in args.model_dump().values() if isinstance(value, str)]
        return tuple(mark for text in texts for mark in self.redactor().marks_in(text))

    def decided(self, session: Session, prepared: Prepared) -> ToolCallDecided:
        """The record of the decision, with every fact it was made on (gate-G2, gate-G21)."""
        facts: dict[str, JsonValue] = {}
        if prepared.facts is not None and prepared.session is not None:
            facts = {
                "call": prepared.facts.model_dump(mode="json"),
                "session": prepared.session.model_dump(mode="json"),
            }
        decision, origin = prepared.decision, self._origin(session, prepared.call_id)
        return ToolCallDecided(
            call_id=prepared.call_id,
            name_called=prepared.name,
            tool=prepared.tool.name if prepared.tool is not None else "",
            input=prepared.raw,
            input_digest=input_digest(prepared.raw),
            digest=prepared.action_digest,
            verdict=decision.verdict,
            rule=decision.rule,
            reason=prepared.refusal or decision.reason,
            hits=decision.hits,
            lifted_by=decision.lifted_by,
            review_after=decision.review_after,
            facts=facts,
            mode=session.mode,
            category=prepared.tool.category.value if prepared.tool is not None else "",
            card=call_card(prepared),
            supersedes=origin.again if origin is not None else "",
            held_by=origin.held_by if origin is not None else "",
            part_of=origin.part_of if origin is not None else "",
        )

    def _origin(self, session: Session, call_id: str) -> CallOrigin | None:
        """Where a call of a guest comes from."""
        peer = self._offers.of(session, GuestPeer) if guest_of(session.state.endpoint_id) else None
        return peer.origin(call_id) if peer is not None else None

    def context(
        self,
        session: Session,
        call_id: str,
        ask: Ask,
        progress: Progress,
        *,
        judged: CallFacts | None = None,
        effect: EffectPreview | None = None,
    ) -> ToolContext:
        """What a handler of this session works with. With `judged`: its files are held to the paths of that call.
        `effect`: what a person was shown that its SQL would do."""
        if session.files is None or session.processes is None or session.lane is None:
            raise ToolError("This chat has no lane.")
        state = session.state
        return ToolContext(
            session_id=session.session_id,
            call_id=call_id,
            lane_name=session.lane.name,
            files=session.files if judged is None else session.files.held_to(judged.paths),
            processes=session.processes,
            blobs=self.blobs,
            reads=session.reads,
            session=SessionFacts(
                mode=session.mode,
                previous_mode=state.mode_before_plan,
                title=state.title,
                titled_by_person=state.titled_by_person,
                todos=state.todos,
            ),
            ask=ask,
            progress=progress,
            can_ask=self._can_ask,
            blob_ids=session.blob_ids,
            call=judged,
            git_sha256=settings_in_force(session),
            approved_effect=effect,
            lane_id=session.lane.id,
            finds=partial(self._offers.of, session),
        )

    def _facts(self, session: Session, call_id: str, tool: Tool[Any], args: ToolArgs) -> CallFacts:
        context = self.context(session, call_id, nobody, nothing)
        evidence = tool.assess(args, context)
        paths = tuple(context.files.resolve(use.path, use.op) for use in tool.paths(args))
        profile = profile_of(evidence, self.sandbox.level)
        subject = CallSubject(
            tool=tool.name,
            category=tool.category,
            command=evidence.command,
            text=str(args.model_dump().get("command", "")) if evidence.command is not None else "",
            paths=paths,
            sql=evidence.sql.verdict if evidence.sql is not None else None,
            connection=evidence.sql.connection if evidence.sql is not None else "",
            lane_id=session.state.lane_id,
            lane_root=session.lane.worktree_path if session.lane is not None else "",
            network=evidence.network or evidence.asks_for != "nothing",
            hosts=evidence.hosts,
            may_reach=reaches_network(evidence, profile),
            host=evidence.web.host if evidence.web is not None else "",
            port=evidence.web.port if evidence.web is not None else 0,
            mcp=evidence.mcp,
        )
        return CallFacts(
            tool=tool.name,
            category=tool.category,
            assessment=evidence.assessment,
            origin="acp" if guest_of(session.state.endpoint_id) else "agent",
            args_sha256=input_digest(args.model_dump(mode="json")),
            paths=paths,
            asks_person=tool.asks_person,
            command=evidence.command,
            sql=evidence.sql,
            profile=profile,
            network=evidence.network or reaches_network(evidence, profile),
            hosts=evidence.hosts,
            publishes=evidence.publishes,
            target=evidence.target,
            rules=self.rules.matches(session, subject),
            secrets=evidence.secrets,
            children=children_facts(session, call_id) if evidence.begins_agent else None,
            web=evidence.web,
            mcp=evidence.mcp,
        )

    def known(self, session: Session) -> Registry:
        """The program's tools with those that were found for this chat; a name counts for the first that has it. In the
        chat of a guest those that stand for its calls, and those that it may use of these."""
        found = (tool for tools in self._found(session) for tool in tools)
        if guest_of(session.state.endpoint_id):
            return self._of_guests.with_found(tool for tool in found if tool.for_guests)
        return self._registry.with_found(found)

    @cached_property
    def _of_guests(self) -> Registry:
        calls: Registry = late("desktop.tools.guests.table").guest_tools(self._registry)
        return calls

    def _present(self, session: Session, known: Registry) -> frozenset[type[object]]:
        """What this chat has now of all that these tools need. Asks nobody."""
        return frozenset(kind for kind in known.needs if self._offers.of(session, kind) is not None)


async def nobody(request: InputRequest) -> Answer:
    """Judging never asks."""
    return Answer(outcome="cancelled")


def nothing(tail: str, output_bytes: int) -> None:
    """Judging shows no progress."""
