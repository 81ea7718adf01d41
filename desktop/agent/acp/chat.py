"""AcpChat: one chat as an editor drives it: its messages, what is shown of it, and its cards."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path

from desktop.agent.acp.asking import Asker, EditorCards
from desktop.agent.acp.ground import AcpGround, Client
from desktop.agent.acp.prompts import Prompt, stop_reason
from desktop.agent.acp.shown import Shown
from desktop.agent.acp.words import Json, modes, options
from desktop.agent.core.session import Session
from desktop.domain.chats.commands import AddAttachment, LoadInstructions, RemoveQueued
from desktop.domain.chats.queue_events import MessageQueued, QueuedMessageRemoved, QueuePaused
from desktop.domain.chats.updates import AttachmentReady, InstructionsListed
from desktop.domain.commands import Interrupt, NewSession, ProbeSandbox, SendMessage, SetMode, SetModel
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.ids import new_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, Event, LaneAttached, ModelChanged, TurnEnded, UserMessage
from desktop.domain.updates import SandboxReported
from desktop.services.acp.wire import INTERNAL, Wire, WireClosed, WireError

SIGN_IN = -32000
READ_LIMIT_S = 1.0
REPLAYED = 200
PAUSED = "The turn before it did not come to its end, so this message was taken back. Send it again."
FULL_AUTO = "Full auto needs a sandbox that stops everything. {reason}"
_NO_KEY = ("no_key", "no_endpoint", "no_model")


class AcpChat:
    """`first`: how the chat is begun by its first message, None for one that is there. All on the engine thread."""

    def __init__(
        self, session_id: str, wire: Wire, ground: AcpGround, client: Client, first: NewSession | None, told: str = ""
    ) -> None:
        """`told`: what the person is told once it has begun."""
        self.session_id = session_id
        self._wire, self._ground = wire, ground
        self._first, self._told = first, told
        self._prompts: list[Prompt] = []
        self._sending: Prompt | None = None
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._shown = Shown(self._send, self._root)
        asker = Asker(session_id, wire, ground.carrier, client.forms, client.person, ground.here.has_window)
        self.cards = EditorCards(asker)

    # What an editor asks

    def begun(self) -> Json:
        """What it is told of a chat that it made or loaded."""
        state, first = self._session.state if self._session is not None else None, self._first
        if state is not None:
            mode, chosen = state.mode, (state.endpoint_id, state.model)
        else:
            assert first is not None
            mode, chosen = first.mode, (first.endpoint_id, first.model)
        return {"modes": modes(mode), "configOptions": options(self._ground.settings, *chosen)}

    async def prompt(self, prompt: Prompt) -> str:
        """Send a message, and wait for the end of the turn that has it: its stop reason.

        Raises:
            WireError: it could not be sent, or the turn failed.
        """
        self._prompts.append(prompt)
        try:
            async with self._turn:
                await self._deliver(prompt)
                if prompt.withdrawn:  # while it was sent
                    await self._withdraw(prompt)
            return await prompt.answer
        finally:
            if prompt in self._prompts:
                self._prompts.remove(prompt)

    def stop(self) -> None:
        """Stop the turn, and take back what waits of this editor."""
        self._soon(self._cancel())

    def withdraw(self, prompt: Prompt) -> None:
        """The editor cancels this message alone: as `stop` where a turn has it, else it is not sent."""
        self._soon(self._withdraw(prompt))

    async def _withdraw(self, prompt: Prompt) -> None:
        prompt.withdrawn = True
        if prompt.queue_id and not prompt.delivered:
            await self._take_back(prompt, None)
        if prompt.delivered and prompt in self._prompts:
            await self._cancel()

    async def _cancel(self) -> None:
        for prompt in [one for one in self._prompts if not one.delivered]:
            prompt.withdrawn = True
            if prompt.queue_id:
                await self._take_back(prompt, None)
        if self._session is not None:
            with suppress(CommandError):
                await self._ground.carrier.run(Interrupt(session_id=self.session_id))

    async def set_mode(self, mode: PermissionMode) -> None:
        """Raises WireError: it cannot be."""
        if self._first is None:
            await self._run(SetMode(session_id=self.session_id, mode=mode))
            return
        if mode is PermissionMode.FULL_AUTO:
            reports = await self._ground.carrier.ask(ProbeSandbox(), SandboxReported)
            if not reports or reports[-1].report.level != "full":
                reason = reports[-1].report.reason if reports else ""
                raise WireError(INTERNAL, FULL_AUTO.format(reason=reason).rstrip())
        self._first = self._first.model_copy(update={"mode": mode})
        self._send({"sessionUpdate": "current_mode_update", "currentModeId": mode.value})

    async def set_model(self, endpoint_id: str, model: str) -> None:
        """Raises WireError: it cannot be."""
        if self._first is None:
            thinking = self._session.state.thinking if self._session is not None else "off"
            await self._run(
                SetModel(session_id=self.session_id, endpoint_id=endpoint_id, model=model, thinking=thinking)
            )
            return
        try:
            endpoint_id, model = self._ground.settings.model_for(endpoint_id, model)
        except CommandError as error:
            raise _error_of(error) from error
        self._first = self._first.model_copy(update={"endpoint_id": endpoint_id, "model": model})

    async def replay(self, room: Callable[[], Awaitable[None]]) -> None:
        """Show what is in the log, a piece each time there is `room` for it; nothing comes between its end and the
        return of this."""
        session, at = self._session, 0
        assert session is not None
        while at < len(session.log):
            await room()
            for envelope in session.log[at : at + REPLAYED]:
                self._again(envelope.glance())
            at += REPLAYED

    def go_on(self) -> None:
        """Put the requests that are open to the editor, and tell the commands of the chat."""
        session = self._session
        assert session is not None
        for waiting in session.state.open_inputs.values() if session.running else ():
            self._say(self.cards.begin(session.session_id, waiting.input_id, waiting.request))
        self._soon_commands()

    def _again(self, event: Event) -> None:
        if isinstance(event, UserMessage) and event.origin in ("person", "queued"):
            self._shown.person(event)
        elif isinstance(event, LaneAttached):
            self._say_where(event)
        elif not isinstance(event, UserMessage):
            self._shown.event(event)

    async def text(self, path: str) -> str | None:
        """What the editor has of a file of the lane, None where it does not say."""
        root = self._root()
        if root is None:
            return None
        asked: Json = {"sessionId": self.session_id, "path": str(root / path)}
        try:
            said = await self._wire.request("fs/read_text_file", asked, limit_s=READ_LIMIT_S)
        except (WireError, WireClosed, TimeoutError):
            return None
        content = said.get("content") if isinstance(said, dict) else None
        return content if isinstance(content, str) else None

    # What the engine tells

    def saw(self, update: Update) -> None:
        """Show what is about this chat; answer what is over."""
        if isinstance(update, Envelope):
            self._own(update.event)
        else:
            self._shown.passing(update)

    def asked(self, owner_id: str, event: Event) -> None:
        """A request of this chat, or of one below it, was made, changed or closed."""
        self._say(self.cards.saw(owner_id, event))

    async def close(self) -> None:
        """The editor has gone: what it was asked is cancelled with its turn; a turn that asked nothing goes on."""
        asked = self.cards.waits
        self.cards.close()
        for task in self._tasks:
            task.cancel()
        for prompt in self._prompts:
            prompt.answer.cancel()
        if asked and self._session is not None:
            with suppress(CommandError):  # it is stopped already
                await self._ground.carrier.run(Interrupt(session_id=self.session_id))

    # Within

    @property
    def _session(self) -> Session | None:
        sessions = self._ground.sessions
        return sessions.get(self.session_id) if self._first is None and sessions.knows(self.session_id) else None

    def _root(self) -> Path | None:
        session = self._session
        return session.files.root if session is not None and session.files is not None else None

    def _own(self, event: Event) -> None:
        match event:
            case UserMessage():
                self._message(event)
            case MessageQueued() if self._sending is not None and not self._sending.is_known:
                self._sending.queue_id = event.queue_id
            case QueuedMessageRemoved(why="cancelled" | "emptied"):
                for prompt in self._waiting(event.queue_id):
                    self._over(prompt, "cancelled")
            case QueuePaused():
                for prompt in [one for one in self._prompts if one.queue_id and not one.delivered]:
                    self._soon(self._take_back(prompt, WireError(INTERNAL, PAUSED)))
            case TurnEnded():
                self._shown.event(event)
                self._ended(event)
            case ModelChanged():
                chosen = options(self._ground.settings, event.endpoint_id, event.model)
                self._send({"sessionUpdate": "config_option_update", "configOptions": chosen})
            case LaneAttached():
                self._say_where(event)
            case _:
                self._shown.event(event)

    def _say_where(self, event: LaneAttached) -> None:
        on = f", on the branch {event.branch}" if event.branch else ""
        where = f"Working in {event.worktree_path}{on}." if event.worktree_path else ""
        session = self._session
        found = self._ground.settings.found(session.state.endpoint_id) if session is not None else None
        if where and found is not None:
            where += f" Model requests go to {found.endpoint.base_url}, found in {found.variables}."
        self._say(f"{where}{self._told}\n\n" if where or self._told else "")
        self._told = ""

    def _message(self, event: UserMessage) -> None:
        if event.origin == "queued":
            own = [*self._waiting(event.queue_id)]
            for prompt in own:
                prompt.delivered = True
        elif event.origin == "person":
            own = [self._sending] if self._sending is not None and not self._sending.is_known else []
            for prompt in own:
                prompt.delivered = True
        else:
            return
        if not own:
            self._shown.person(event)

    def _waiting(self, queue_id: str) -> Iterator[Prompt]:
        return (one for one in tuple(self._prompts) if one.queue_id == queue_id)

    def _ended(self, event: TurnEnded) -> None:
        reason = stop_reason(event)
        for prompt in [one for one in self._prompts if one.delivered]:
            if reason:
                self._over(prompt, reason)
            else:
                self._prompts.remove(prompt)
                prompt.fail(WireError(INTERNAL, event.detail or "The turn failed."))

    def _over(self, prompt: Prompt, reason: str) -> None:
        self._prompts.remove(prompt)
        prompt.end(reason)

    async def _deliver(self, prompt: Prompt) -> None:
        names = [await self._attach(prompt, at) for at in range(len(prompt.attached))]
        if prompt.withdrawn or prompt.answer.done():
            self._over(prompt, "cancelled")
            return
        self._sending = prompt
        first, self._first = self._first, None
        try:
            if first is not None:
                begun = first.model_copy(update={"text": prompt.text, "attachments": tuple(names)})
                await self._ground.carrier.run(begun)
                self._soon_commands()
            else:
                await self._ground.carrier.run(
                    SendMessage(session_id=self.session_id, text=prompt.text, attachments=tuple(names))
                )
        except CommandError as error:
            if first is not None and not self._ground.sessions.knows(self.session_id):
                self._first = first
            if prompt in self._prompts:
                self._prompts.remove(prompt)
            prompt.fail(_error_of(error))
        finally:
            self._sending = None

    async def _attach(self, prompt: Prompt, at: int) -> str:
        """Keep a file of the message; its name. Raises WireError: it cannot be kept."""
        request, file = new_id("att_"), prompt.attached[at]
        session_id = "" if self._first is not None else self.session_id
        command = AddAttachment(request_id=request, session_id=session_id, name=file.name, data=file.data)
        try:
            ready = await self._ground.carrier.ask(command, AttachmentReady)
        except CommandError as error:
            raise _error_of(error) from error
        found = next((one for one in ready if one.request_id == request), None)
        if found is None or found.problem or found.looks_secret:
            why = found.problem if found is not None else ""
            raise WireError(INTERNAL, why or f"{file.name} looks like a secret: attach it in Banksman’s window.")
        return found.logical_name

    async def _take_back(self, prompt: Prompt, error: WireError | None) -> None:
        """Take a message out of the queue. `error`: how it is answered, None: as cancelled."""
        if error is not None and prompt in self._prompts:
            self._prompts.remove(prompt)
            prompt.fail(error)
        try:
            await self._ground.carrier.run(RemoveQueued(session_id=self.session_id, queue_id=prompt.queue_id))
        except CommandError:
            return  # it was delivered just now

    async def _tell_commands(self) -> None:
        """The slash commands of the chat that may be used."""
        try:
            listed = await self._ground.carrier.ask(LoadInstructions(session_id=self.session_id), InstructionsListed)
        except CommandError:
            return
        found = next((one for one in listed if one.session_id == self.session_id), None)
        usable = [one for one in found.commands if one.usable] if found is not None else []
        self._send(
            {
                "sessionUpdate": "available_commands_update",
                "availableCommands": [
                    {"name": one.name, "description": one.description, "input": {"hint": "arguments"}} for one in usable
                ],
            }
        )

    def _soon_commands(self) -> None:
        self._soon(self._tell_commands())

    def _soon(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, command: Command) -> None:
        """Raises WireError: it was not carried out."""
        try:
            await self._ground.carrier.run(command)
        except CommandError as error:
            raise _error_of(error) from error

    def _say(self, text: str) -> None:
        if text:
            self._shown.said(text)

    def _send(self, update: Json) -> None:
        try:
            self._wire.notify("session/update", {"sessionId": self.session_id, "update": update})
        except WireClosed:
            self._wire.close()  # it reads no more; whoever reads the wire then ends this chat here


def _error_of(error: CommandError) -> WireError:
    return WireError(SIGN_IN if error.code in _NO_KEY else INTERNAL, str(error))
