"""RuleCommands: the person's rules as they count for a call, and the commands that look at them and change them."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Literal

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.gate.calls.prepared import Prepared
from desktop.agent.gate.descent import keeper_of_grants
from desktop.domain import commands as c
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, RuleError
from desktop.domain.core.ids import new_id
from desktop.domain.core.listeners import Listeners
from desktop.domain.core.permissions import Assessment, Category, PermissionMode, Verdict
from desktop.domain.core.update import Update
from desktop.domain.core.work import Project
from desktop.domain.events import Event
from desktop.domain.gate.events import RuleRemoved, RulesAccepted, RuleSaved
from desktop.domain.gate.pending import Answer
from desktop.domain.gate.rules import AskedLately, Rule, RuleMatches, RuleScope, Simulation
from desktop.domain.lanes.updates import LaneMerged, LanesChanged
from desktop.domain.pulls.updates import PullRequestMerged
from desktop.domain.updates import CommandFailed, CommandTried, RulePreviewed, RulesListed
from desktop.policy.gate import CallFacts, SessionGateFacts, decide
from desktop.policy.network.hosts import HTTPS_PORT
from desktop.policy.paths import PathFacts
from desktop.policy.rule_check import Judge, allows_sentence, example_lines, matches_line, saving_problem
from desktop.policy.rules import CallSubject, match_rules
from desktop.policy.simulate import asked_lately, simulate
from desktop.services.files.names import shown_name
from desktop.store.core.readings import Readings
from desktop.store.gate.rules import RuleBook, RuleStore

Tokens = tuple[tuple[str, ...], ...]
Refusing = Callable[[Iterable[tuple[str, bool]]], Iterator[str]]
"""A sentence for each of these files that may not be changed, or one for all;
with each goes whether it would be deleted."""
_A_DAY = timedelta(days=1)
_Word = Literal["allow", "ask", "deny"]
_WORDS: dict[Verdict, _Word] = {Verdict.ALLOW: "allow", Verdict.ASK: "ask", Verdict.DENY: "deny"}


class RuleCommands:
    """All on the engine thread. `judge` is the judgement of a whole command line without a lane, which the rules' own
    tests get; `past` is where past calls are read. `project` gives the open project. `told` gets what was done in
    Settings and the project whose chats it counts for ("" for all); `changed` is told after that."""

    def __init__(
        self,
        store: RuleStore,
        judge: Judge,
        publish: Publish,
        clock: Callable[[], datetime],
        *,
        past: Readings,
        project: Callable[[], Project | None],
    ) -> None:
        self.told = Listeners[Event, str]()
        self.changed = Listeners[[]]()
        self._store = store
        self._judge = judge
        self._publish = publish
        self._clock = clock
        self._past = past
        self._project = project

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about rules."""
        return {
            c.LoadRules: self.list,
            c.SaveRule: self.save,
            c.RemoveRule: self.remove,
            c.TrustRules: self.trust,
            c.TryCommand: self.try_command,
        }

    # Lanes that end

    def saw(self, update: Update) -> None:
        """Take away the project's rules for a lane that was merged, archived or deleted: what was allowed there was
        allowed for that work."""
        if isinstance(update, LaneMerged | PullRequestMerged):
            self._forget(lambda lane_id: lane_id == update.lane_id)
        elif isinstance(update, LanesChanged):
            here = {lane.id for lane in update.lanes if lane.state != "archived"}
            self._forget(lambda lane_id: lane_id not in here)

    def _forget(self, is_over: Callable[[str], bool]) -> None:
        project = self._project()
        if project is None:
            return
        of_project = (rule for rule in self._store.book(project.id, None).rules if rule.scope == "project")
        for lane_id in {rule.lane for rule in of_project if rule.lane and is_over(rule.lane)}:
            try:
                self._store.forget_lane(project.id, lane_id)
            except RuleError as error:
                self._publish(CommandFailed(command_id="", code="rules_left", text=str(error)))

    # For the judge

    def in_force(self, session: Session) -> tuple[Rule, ...]:
        """Every rule that counts for this session: of all files, and its own."""
        return (*self._book(session).rules, *session.rules)

    def stands(self, session: Session, rules: Sequence[Rule]) -> bool:
        """Whether one of these rules counts for this session still, or a file of rules cannot be read."""
        book = self._book(session)
        known = {rule.id for rule in (*book.rules, *session.rules)}
        return bool(book.unreadable) or any(rule.id in known for rule in rules)

    def matches(self, session: Session, subject: CallSubject) -> RuleMatches:
        """The rules that speak about a call."""
        book = self._book(session)
        found = match_rules((*book.rules, *session.rules), subject, self._clock())
        return found.model_copy(update={"unreadable": book.unreadable}) if book.unreadable else found

    def refusing(self, session: Session) -> Refusing:
        """What the rules of now, those of the chat among them, say against files whatever changes them (memory-SB5).
        While a file of rules cannot be read, that is said against any (gate-R4). What is given back may be asked on any
        thread."""
        book = self._book(session)
        rules = (*book.rules, *session.rules)
        return partial(_refusals, rules, book.unreadable, session.state.lane_id, self._clock())

    def asking(self, session: Session) -> Refusing:
        """A sentence for each of these files about whose change a rule of now wants a person to be asked. What is given
        back may be asked on any thread."""
        rules = (*self._book(session).rules, *session.rules)
        return partial(_asked_about, rules, session.state.lane_id, self._clock())

    def _book(self, session: Session) -> RuleBook:
        checkout = session.state.project_path
        return self._store.book(session.state.project_id, Path(checkout) if checkout else None)

    # Of one chat

    def of_chat(self, rules: Sequence[Rule]) -> list[Event]:
        """What records these as rules of one chat.

        Raises:
            CommandError: `rule_refused`, one of them may not be made (gate-R13).
        """
        return [RuleSaved(rule=self._of_chat(rule)) for rule in rules]

    def _of_chat(self, rule: Rule) -> Rule:
        match, not_match = self._examples(rule) if rule.decision == "allow" and rule.tokens else ((), ())
        made = rule.model_copy(update={"scope": "session", "match": match, "not_match": not_match})
        if problem := saving_problem(made, self._judge):
            raise CommandError("rule_refused", f"The rule '{rule.text}' cannot be used. {problem}")
        return made.model_copy(update={"id": new_id("r-"), "created_at": self._clock()})

    # From a card

    async def checked_from_card(
        self, session: Session, prepared: Prepared, answer: Answer, tokens: Tokens, input_id: str
    ) -> list[Rule]:
        """The rules that a person chose on a card, which may be saved; nothing is saved.

        Raises:
            CommandError: one may not be saved, they do not let this call run, or calls that were declined would run.
        """
        rules = [_card_rule(one, answer, input_id) for one in tokens]
        problem = self._problem(session, prepared, rules)
        if problem:
            raise CommandError("rule_refused", problem)
        if not answer.despite_declined and (await self._simulate(session.state.project_id, rules)).declined:
            raise CommandError("rule_declined", "The rule would allow calls that you declined. Look at them first.")
        return rules

    def host_rule(self, host: str, prepared: Prepared) -> Rule:
        """The rule of the project that a person chose on a card for a host, at the port of that call."""
        web = prepared.facts.web if prepared.facts is not None else None
        port = web.port if web is not None else HTTPS_PORT
        rule = Rule(id="", decision="allow", kind="network", host=host, ports=(port,), created_by="card")
        return rule.model_copy(update={"match": (host,), "not_match": (f"other-{host}",)})

    def save_from_card(self, session: Session, rules: Sequence[Rule], input_id: str) -> list[Rule]:
        """Make these rules, in order; as they are then.

        Raises:
            RuleError: the project's file cannot be written.
        """
        made: list[Rule] = []
        for rule in rules:
            if rule.scope == "session":
                saved = rule.model_copy(update={"id": new_id("r-"), "scope": "session", "created_at": self._clock()})
            else:
                saved = self._store.save(rule, "project", session.state.project_id)
            keeper_of_grants(session, saved).append(RuleSaved(rule=saved, input_id=input_id))
            made.append(saved)
        return made

    def remove_kept(self, session: Session, rule: Rule) -> None:
        """Take back a rule that was made in this chat; nothing where somebody did before.

        Raises:
            RuleError: its file cannot be written.
        """
        if rule.scope != "session" and any(one.id == rule.id for one in self._book(session).rules):
            self._store.remove(rule.id, rule.scope, session.state.project_id)
        keeper_of_grants(session, rule).append(RuleRemoved(rule_id=rule.id, scope=rule.scope))

    async def preview(self, command: c.PreviewRule, session: Session, prepared: Prepared) -> None:
        """Say what rules of these tokens would cover, and which past calls they would have matched."""
        rules = [_card_rule(one, Answer(outcome="allow_always"), command.input_id) for one in command.tokens]
        problem = self._problem(session, prepared, rules)
        found = Simulation() if problem else await self._simulate(session.state.project_id, rules)
        allows, not_allows = _sentences(command.tokens)
        self._publish(
            RulePreviewed(
                session_id=command.session_id,
                input_id=command.input_id,
                tokens=command.tokens,
                problem=problem,
                allows=allows,
                not_allows=not_allows,
                simulation=found,
            )
        )

    def _problem(self, session: Session, prepared: Prepared, rules: Sequence[Rule]) -> str:
        """Why these rules may not be saved together from this call, "" if they may (gate-R13, gate-R16)."""
        if not rules:
            return "There is nothing to save."
        verdict = prepared.facts.command if prepared.facts is not None else None
        if verdict is None or prepared.args is None:
            return "Only a command can have such a rule."
        line = str(prepared.args.model_dump().get("command", ""))
        problem = next((problem for rule in rules if (problem := saving_problem(rule, self._judge, call=line))), "")
        subject = CallSubject(
            tool=prepared.name, category=Category.BASH, command=verdict, text=line, lane_id=session.state.lane_id
        )
        if not problem and not match_rules((*self.in_force(session), *rules), subject, self._clock()).allow:
            return "With this alone the call would still ask: another command of the line is not covered."
        return problem

    async def _simulate(self, project_id: str, rules: Sequence[Rule]) -> Simulation:
        now = self._clock()
        calls = await asyncio.to_thread(self._past.past_commands, project_id, now)
        return await asyncio.to_thread(simulate, rules, calls, self._judge)

    # From Settings

    async def list(self, command: Command | None = None) -> None:
        """Tell the window every file of rules that counts for the open project."""
        project = self._project()
        project_id = project.id if project is not None else ""
        book = self._store.book(project_id, Path(project.path) if project is not None else None)
        uses = await asyncio.to_thread(self._past.rule_uses, project_id or None)
        files = []
        for file in book.files:
            states = []
            for state in file.rules:
                use = uses.get(state.rule.id)
                known = {"hits": use.hits, "last_used": use.last_used} if use is not None else {}
                states.append(state.model_copy(update=known))
            files.append(file.model_copy(update={"rules": tuple(states)}))
        self._publish(RulesListed(files=tuple(files), asked=await asyncio.to_thread(self._asked_lately, project_id)))

    def _asked_lately(self, project_id: str) -> AskedLately:
        now = self._clock()
        past = self._past.past_commands(project_id or None, now)
        return asked_lately([call for call in past if call.at > now - _A_DAY], self._judge)

    async def save(self, command: c.SaveRule) -> None:
        """Make a rule, or replace the one of its id.

        Raises:
            RuleError: it may not be saved, or its file cannot be written.
        """
        project_id, rule = self._project_id(command.rule.scope), command.rule
        if rule.decision == "allow" and not rule.match:
            match, not_match = self._examples(rule)
            rule = rule.model_copy(update={"match": match, "not_match": not_match})
        write = self._store.replace if rule.id else self._store.save
        self._record(RuleSaved(rule=write(rule, rule.scope, project_id)), rule.scope)
        await self.list()

    async def remove(self, command: c.RemoveRule) -> None:
        """Take a rule back."""
        self._store.remove(command.rule_id, command.scope, self._project_id(command.scope))
        self._record(RuleRemoved(rule_id=command.rule_id, scope=command.scope), command.scope)
        await self.list()

    async def trust(self, command: c.TrustRules) -> None:
        """Let the allow rules of the repository's own file count for exactly this content."""
        project = self._project()
        if project is None:
            raise CommandError("no_project", "Open a repository first.")
        root = Path(project.path)
        rules = self._store.trust_shared(project.id, root, command.sha256, "person")
        path = str(self._store.path("shared", project.id, root))
        self._record(RulesAccepted(path=path, sha256=command.sha256, rules=rules), "shared")
        await self.list()

    async def try_command(self, command: c.TryCommand) -> None:
        """How a command line would be judged in edit mode with the rules of the open project."""
        project = self._project()
        book = self._store.book(project.id if project else "", Path(project.path) if project else None)
        verdict = self._judge(command.text)
        subject = CallSubject(tool="bash", category=Category.BASH, command=verdict, text=command.text)
        category = Category.READ if verdict.proven_read else Category.BASH
        facts = CallFacts(
            tool="bash",
            category=Category.BASH,
            assessment=Assessment(category=category, proven_read=verdict.proven_read, reason=verdict.reason),
            command=verdict,
            rules=match_rules(book.rules, subject, self._clock()).model_copy(update={"unreadable": book.unreadable}),
        )
        decision = decide(facts, SessionGateFacts(mode=PermissionMode.EDIT))
        self._publish(
            CommandTried(
                text=command.text,
                verdict=_WORDS[decision.verdict],
                reason=decision.reason,
                rule=decision.lifted_by or decision.rule,
            )
        )

    def _record(self, event: Event, scope: RuleScope) -> None:
        """Into the logs, then into force: what waits is judged again."""
        project = self._project()
        self.told(event, "" if scope == "user" or project is None else project.id)
        self.changed()

    def _examples(self, rule: Rule) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Lines or targets that an allow rule matches, and ones that it does not (gate-R8)."""
        if rule.kind == "command":
            return example_lines(rule.tokens)
        if rule.kind == "path":
            inside = rule.glob.replace("**", "a").replace("*", "a").replace("?", "a")
            outside = (f"other/{inside}", f"{inside}.other")
            return (inside,), tuple(path for path in outside if not matches_line(rule, path, self._judge))
        if rule.kind == "network":
            return (f"a{rule.host}" if rule.host.startswith(".") else rule.host,), (f"{rule.host}.example",)
        return (rule.text,), (f"{rule.text}_other",)

    def _project_id(self, scope: RuleScope) -> str:
        project = self._project()
        if scope == "project" and project is None:
            raise CommandError("no_project", "Open a repository first.")
        return project.id if project is not None else ""


def _refusals(
    rules: Sequence[Rule], unreadable: str, lane_id: str, now: datetime, files: Iterable[tuple[str, bool]]
) -> Iterator[str]:
    for path, deletes in files:
        if unreadable:
            yield f"The rules could not be read: {unreadable}."
            return
        if denied := match_rules(rules, _subject(path, deletes, lane_id), now).deny:
            yield f"{shown_name(path)} may not be changed: “{denied[0].quote or denied[0].text or 'a rule'}”."


def _asked_about(
    rules: Sequence[Rule], lane_id: str, now: datetime, files: Iterable[tuple[str, bool]]
) -> Iterator[str]:
    for path, deletes in files:
        if asks := match_rules(rules, _subject(path, deletes, lane_id), now).ask:
            yield f"You are to be asked about {shown_name(path)}: “{asks[0].quote or asks[0].text or 'a rule'}”."


def _subject(path: str, deletes: bool, lane_id: str) -> CallSubject:
    """A file that would be changed, whatever changes it."""
    facts = PathFacts(raw=path, op="write", verdict="inside", rel=path)
    tool = "delete_file" if deletes else ""
    return CallSubject(tool=tool, category=Category.WRITE, paths=(facts,), lane_id=lane_id)


def _card_rule(tokens: tuple[str, ...], answer: Answer, input_id: str) -> Rule:
    match, not_match = example_lines(tokens) if tokens else ((), ())
    scope: RuleScope = "session" if answer.scope == "session" else "project"
    return Rule(
        id="",
        decision="allow",
        kind="command",
        scope=scope,
        tokens=tokens,
        created_by="card",
        request_id=input_id,
        match=match,
        not_match=not_match,
    )


def _sentences(tokens: Tokens) -> tuple[str, str]:
    pairs = [allows_sentence(one) for one in tokens if one]
    return " ".join(allows for allows, _ in pairs), " ".join(dict.fromkeys(others for _, others in pairs))
