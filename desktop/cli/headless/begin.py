"""Beginning: a new chat, or one of the store that goes on, with what was said of its mode, model, limits and rules."""

from collections.abc import Iterator

from desktop.agent.core.session import Session
from desktop.agent.engine import Engine
from desktop.agent.history.path_checkpoints import files_at
from desktop.cli.headless.arguments import Given
from desktop.cli.headless.output import RunOutput
from desktop.config.settings import Endpoint
from desktop.domain.chats.commands import ForkSession, SetLimits
from desktop.domain.chats.queue_events import Limits
from desktop.domain.commands import ContinueTurn, NewSession, SendMessage, SetMode, SetModel
from desktop.domain.core.command import Command
from desktop.domain.core.errors import StartError
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.commands import GiveRules
from desktop.domain.gate.rules import Rule, RuleDecision
from desktop.domain.guests.values import OWN_DRIVER
from desktop.services.lanes.identity import lane_moved

GONE = "The lane of this chat is gone, so it cannot go on."


class Beginning:
    """Of one run. `endpoint`: a service for this run only, None for one of the settings. `session_id`: the chat in
    which the turn runs, once it is chosen."""

    def __init__(self, given: Given, endpoint: Endpoint | None, engine: Engine, output: RunOutput) -> None:
        self.engine = engine
        self.output = output
        self.session_id = new_session_id()
        self._given = given
        self._endpoint = endpoint

    async def choose(self) -> None:
        """Find the chat, or make the fork. `output.ended` is set where that failed.

        Raises:
            StartError: there is no such chat in this repository, or nothing can be done in it.
        """
        given = self._given
        if given.is_new:
            self.output.of_chat(self.session_id, given.mode or PermissionMode.EDIT.value)
            return
        source = self._usable(self._named())
        if given.fork:
            await self._fork(source)
        else:
            self.session_id = source.session_id
        if self.output.ended.is_set():
            return
        state = self.engine.sessions.get(self.session_id).state
        self.output.in_lane(state.worktree_path, state.branch, state.model)
        self.output.of_chat(self.session_id, given.mode or state.mode.value)

    def warm_up(self) -> None:
        """Import what the model's service needs, beside whatever else is waited for."""
        settings = self.engine.settings
        if self._given.is_new and self._given.driver == OWN_DRIVER:
            service = settings.find(self._endpoint_id or settings.default_endpoint)
            if service is not None:
                settings.warm_up(service.id)

    async def begin(self) -> None:
        """Ask for the turn; `output.ended` is set where it could not begin."""
        if self._given.is_new:
            await self.engine.handle(self._new_session())
            return
        session = self.engine.sessions.get(self.session_id)
        for command in self._changes(session):
            await self.engine.handle(command)
            if self.output.ended.is_set():
                return
        late = next(iter(session.state.late_inputs.values()), None)
        if self._given.task:
            await self.engine.handle(SendMessage(session_id=self.session_id, text=self._given.task))
        elif late is not None and self.output.cards is not None:
            self.output.cards.ask_late(self.session_id, late.input_id, late.request)
        else:
            await self.engine.handle(ContinueTurn(session_id=self.session_id))

    # A chat that is there

    def _named(self) -> str:
        named = self._given.resume or self._given.fork
        if named != "last":
            return named
        project = self.engine.project
        known = self.engine.sessions.summaries(project.id).sessions if project is not None else ()
        last = next((chat for chat in known if not chat.archived), None)
        if last is None:
            raise StartError("There is no chat in this repository yet, so none can be continued.")
        return last.session_id

    def _usable(self, session_id: str) -> Session:
        if not self.engine.sessions.knows(session_id):
            raise StartError(f"There is no chat '{session_id}'.")
        session, project = self.engine.sessions.get(session_id), self.engine.project
        if project is None or session.state.project_id != project.id:
            raise StartError(f"The chat {session_id} belongs to {session.state.project_path}: name that with --repo.")
        lane = session.lane
        if session.state.lane_id and (lane is None or lane.state != "active" or lane_moved(lane)):
            raise StartError(GONE)
        return session

    async def _fork(self, source: Session) -> None:
        """With the files as they were at its end, else with those of its lane's commit."""
        kept = files_at(source.log, source.log[-1].event_id)
        await self.engine.handle(
            ForkSession(
                session_id=source.session_id,
                new_session_id=self.session_id,
                lane_from="checkpoint" if kept is not None else "head",
                text="",
            )
        )

    def _changes(self, session: Session) -> Iterator[Command]:
        """What was said of a chat that goes on."""
        given, session_id = self._given, session.session_id
        if given.endpoint or given.model:
            named = self._endpoint_id or session.state.endpoint_id
            endpoint_id, model = self.engine.settings.model_for(named, self._model)
            thinking = session.state.thinking
            yield SetModel(session_id=session_id, endpoint_id=endpoint_id, model=model, thinking=thinking)
        if given.mode:
            mode = PermissionMode(given.mode)
            yield SetMode(session_id=session_id, mode=mode, without_sandbox=given.without_sandbox)
        if (limits := self._limits(session.state.limits)) is not None:
            yield SetLimits(session_id=session_id, limits=limits)
        if rules := self._rules():
            yield GiveRules(session_id=session_id, rules=rules)

    # A new chat

    def _new_session(self) -> NewSession:
        given = self._given
        return NewSession(
            session_id=self.session_id,
            text=given.task,
            place="checkout" if given.in_checkout else "lane",
            mode=PermissionMode(given.mode or PermissionMode.EDIT),
            endpoint_id=self._endpoint_id,
            model=self._model,
            driver=given.driver,
            without_sandbox=given.without_sandbox,
            limits=self._limits(None),
            rules=self._rules(),
        )

    @property
    def _endpoint_id(self) -> str:
        return self._endpoint.id if self._endpoint is not None else self._given.endpoint

    @property
    def _model(self) -> str:
        return self._given.model or (self._endpoint.default_model if self._endpoint is not None else "")

    def _limits(self, own: Limits | None) -> Limits | None:
        """The limits with those that were named, None where none was. `own`: the chat's."""
        given = self._given
        named = {"cost_microusd": given.cost_microusd, "steps": given.steps, "running_s": given.running_s}
        wanted = {name: value for name, value in named.items() if value}
        return (own or self.engine.settings.current.limits).model_copy(update=wanted) if wanted else None

    def _rules(self) -> tuple[Rule, ...]:
        denied = (_rule("deny", words) for words in self._given.deny)
        return (*denied, *(_rule("allow", words) for words in self._given.allow))


def _rule(decision: RuleDecision, words: str) -> Rule:
    return Rule(id="", decision=decision, kind="command", scope="session", tokens=tuple(words.split()))
