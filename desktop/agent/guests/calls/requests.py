"""GuestRequests: what a guest has us do: read and write files, run commands, ask the person. Each is a call of the
chat, judged as all others (guests-A22 to guests-A25, guests-A32)."""

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Mapping

from pydantic import JsonValue

from desktop.agent.guests.calls.turn_calls import REFUSED, TurnCalls
from desktop.domain.core.errors import BanksmanError
from desktop.domain.gate.pending import Answer, Option, Question, QuestionRequest
from desktop.policy.guests.kinds import COMMAND, QUESTION, READ
from desktop.policy.guests.said import fields_of, listed
from desktop.policy.mcp.forms import form_of, values_of
from desktop.policy.network.hosts import Refused
from desktop.policy.network.urls import check_url
from desktop.services.acp.wire import WRONG_PARAMS, WireError
from desktop.services.files.text_files import decode
from desktop.services.processes.around import Place, ProcessError
from desktop.services.processes.running import Completed
from desktop.tools.command_results import command_result
from desktop.tools.text import clip
from desktop.tools.tool import ToolContext, ToolError, ToolResult

Fields = Mapping[str, JsonValue]
NOT_FOUND = -32_002
MOST_READ = 10 * 1024 * 1024
LONGEST_S = 3_600.0
MOST_MESSAGE, MOST_TERMINALS, MOST_KEPT = 4_000, 32, 1024 * 1024
WENT, STAYED = "I have been there", "I do not go there"
Method = Callable[[TurnCalls, Fields], Awaitable[JsonValue]]


class Terminal:
    """A command that runs for a guest, and what it printed. `began` is done once it runs, `over` once it has ended."""

    def __init__(self, most: int) -> None:
        self.began, self.over = asyncio.Event(), asyncio.Event()
        self._most = most
        self._running: asyncio.Task[Completed] | None = None
        self._completed: Completed | None = None
        self._tail, self._total = "", 0

    async def carried_out(self, ctx: ToolContext, command: str, cwd: str) -> ToolResult:
        """Run it, and wait for its end. Raises ToolError: it does not run."""
        facts = ctx.files.resolve(cwd or ".", "list")
        if facts.kind != "dir" or ctx.call is None:
            raise ToolError(f"{facts.rel or facts.raw} is not a directory to run in.", summary="no such folder")
        place = Place(
            reading=ctx.call.assessment.proven_read,
            confined=ctx.call.profile != "outside",
            sandboxed=ctx.call.profile.startswith("lane-"),
        )

        def printed(tail: str, total: int) -> None:
            self._tail, self._total = tail, total
            ctx.progress(tail, total)

        folder = ctx.files.root / facts.rel
        running = ctx.processes.run(
            command, cwd=folder, timeout_s=LONGEST_S, on_output=printed, place=place, call_id=ctx.call_id
        )
        self._running = asyncio.create_task(running, name="guest terminal")
        self.began.set()
        try:
            await asyncio.wait({self._running})
            if self._running.cancelled():
                return ToolResult(text="The agent ended it.", summary="ended by the agent")
            self._completed = self._running.result()
            self._tail = (await asyncio.to_thread(self._completed.output.read)).decode("utf-8", "replace")
            return command_result(self._completed, ctx.blobs, cwd=facts.rel, timeout_s=LONGEST_S)
        except ProcessError as error:
            raise ToolError(str(error), summary="not started") from error
        finally:
            self._running.cancel()
            self.over.set()

    def end(self) -> None:
        """End it with all that it started."""
        if self._running is not None:
            self._running.cancel()

    def told(self) -> JsonValue:
        """What it printed, the end of it where it is long, and how it ended."""
        raw = self._tail.encode()
        kept = raw[-self._most :].decode("utf-8", "ignore") if self._most else ""
        cut = len(raw) > self._most or self._total > len(raw)
        ended: dict[str, JsonValue] = {"exitStatus": self.status()} if self.over.is_set() else {}
        return {"output": kept, "truncated": cut, **ended}

    def status(self) -> dict[str, JsonValue]:
        """How it ended."""
        done = self._completed
        if done is None:
            return {"exitCode": None, "signal": "SIGKILL"}
        return {"exitCode": done.exit_code, "signal": done.signal_name or None}


class GuestRequests:
    """Of one chat. `methods`: what carries out each, in the turn that runs."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._terminals: dict[str, Terminal] = {}
        self._count = 0
        self.methods: dict[str, Method] = {
            "fs/write_text_file": self._write,
            "fs/read_text_file": self._read,
            "terminal/create": self._create,
            "terminal/output": self._output,
            "terminal/wait_for_exit": self._wait,
            "terminal/kill": self._kill,
            "terminal/release": self._release,
            "elicitation/create": self._elicit,
        }

    async def _write(self, calls: TurnCalls, given: Fields) -> JsonValue:
        content = given.get("content")
        if not isinstance(content, str):
            raise WireError(WRONG_PARAMS, "There is no content to write.")
        await calls.write(_text(given, "path"), content)
        return {}

    # Reading

    async def _read(self, calls: TurnCalls, given: Fields) -> JsonValue:
        path, found = _text(given, "path"), list[str]()

        async def read(ctx: ToolContext) -> ToolResult:
            found.append(await _content(ctx, path))
            return ToolResult(text=clip(found[0]), summary="read for the agent")

        calls.seen.reads = True
        finished = await calls.over(calls.begin(READ, {"title": "", "paths": [path]}, read))
        if not found and finished is not None and finished.summary == "not found":
            raise WireError(NOT_FOUND, "Resource not found")
        calls.must_be_ok(finished)
        return {"content": _lines(found[0], given.get("line"), given.get("limit"))}

    # Terminals

    async def _create(self, calls: TurnCalls, given: Fields) -> JsonValue:
        words = [one for one in listed(given.get("args")) if isinstance(one, str)]
        command = shlex.join((_text(given, "command"), *words)) if words else _text(given, "command")
        named = [fields_of(one) for one in listed(given.get("env"))]
        env = "".join(f"export {_text(one, 'name')}={shlex.quote(str(one.get('value') or ''))}; " for one in named)
        cwd, most = given.get("cwd"), given.get("outputByteLimit")
        if sum(not one.over.is_set() for one in self._terminals.values()) >= MOST_TERMINALS:
            raise WireError(REFUSED, "There are too many terminals.")
        terminal = Terminal(min(most, MOST_KEPT) if isinstance(most, int) and most >= 0 else MOST_KEPT)
        place, line = cwd if isinstance(cwd, str) else "", env + command
        judged: dict[str, JsonValue] = {"command": line, **({"cwd": place} if place else {})}
        calls.seen.terminals = True
        opened = calls.begin(COMMAND, judged, lambda ctx: terminal.carried_out(ctx, line, place))
        began = asyncio.create_task(terminal.began.wait())
        try:
            await asyncio.wait({began, *([opened.task] if opened.task else [])}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            began.cancel()
        if not terminal.began.is_set():
            calls.must_be_ok(await calls.over(opened))
        self._count += 1
        name = f"terminal-{self._count}"
        self._terminals[name] = terminal
        return {"terminalId": name}

    async def _output(self, calls: TurnCalls, given: Fields) -> JsonValue:
        return self._terminal(given).told()

    async def _wait(self, calls: TurnCalls, given: Fields) -> JsonValue:
        terminal = self._terminal(given)
        await terminal.over.wait()
        return terminal.status()

    async def _kill(self, calls: TurnCalls, given: Fields) -> JsonValue:
        self._terminal(given).end()
        return {}

    async def _release(self, calls: TurnCalls, given: Fields) -> JsonValue:
        self._terminal(given).end()
        del self._terminals[_text(given, "terminalId")]
        return {}

    def _terminal(self, given: Fields) -> Terminal:
        found = self._terminals.get(_text(given, "terminalId"))
        if found is None:
            raise WireError(WRONG_PARAMS, "There is no such terminal.")
        return found

    # Asking the person

    async def _elicit(self, calls: TurnCalls, given: Fields) -> JsonValue:
        body = _text(given, "message")[:MOST_MESSAGE]
        answered: dict[str, JsonValue] = {"action": "cancel"}

        async def ask(ctx: ToolContext) -> ToolResult:
            if not ctx.can_ask:
                raise ToolError("Nobody can answer here.", summary="nobody to ask")
            answered.update(await self._asked(ctx, body, given))
            return ToolResult(text=f"The person's answer: {answered['action']}.", summary=str(answered["action"]))

        await calls.over(calls.begin(QUESTION, {"title": f"{self._label} asks: {body}"[:200]}, ask))
        return answered

    async def _asked(self, ctx: ToolContext, body: str, given: Fields) -> dict[str, JsonValue]:
        if given.get("mode") == "url":
            return await self._sent_away(ctx, body, _text(given, "url"))
        fields = form_of(fields_of(given.get("requestedSchema")))
        if isinstance(fields, Refused):
            raise ToolError(f"Not asked: {fields.reason}", summary="not asked")
        answer = await self._put(ctx, body, tuple(field.question for field in fields))
        if answer.outcome != "answered":
            return {"action": "decline" if answer.outcome == "reject" else "cancel"}
        values = values_of(fields, answer.choices)
        if isinstance(values, Refused):
            raise ToolError(f"Not answered: {values.reason}", summary="not answered")
        content: dict[str, JsonValue] = {
            name: list[JsonValue](value) if isinstance(value, list) else value for name, value in values.items()
        }
        return {"action": "accept", "content": content}

    async def _sent_away(self, ctx: ToolContext, body: str, url: str) -> dict[str, JsonValue]:
        """Nothing opens by itself: the card shows the whole address, and the person says whether they went there."""
        address = check_url(url)
        if isinstance(address, Refused):
            raise ToolError(f"Not asked: {address.reason}", summary="not asked")
        host = address.host
        spelled = f"{host.name} ({host.shown})" if host.name != host.shown else host.name
        text = f"{body}\n\nIt wants you to open this address of {spelled} in your browser:\n\n{address.text}"
        options = (Option(label=WENT, value=WENT), Option(label=STAYED, value=STAYED))
        asked = Question(id="went", text=f"Did you open the address of {host.name}?", options=options, freeform=False)
        answer = await self._put(ctx, text, (asked,))
        went = answer.outcome == "answered" and WENT in answer.choices.get("went", ())
        return {"action": "accept" if went else "cancel" if answer.outcome == "cancelled" else "decline"}

    async def _put(self, ctx: ToolContext, body: str, questions: tuple[Question, ...]) -> Answer:
        title = f"{self._label} asks"
        return await ctx.ask(QuestionRequest(call_id=ctx.call_id, title=title, body=body, questions=questions))


async def _content(ctx: ToolContext, path: str) -> str:
    """The text of a file. Raises ToolError: there is none."""
    facts = ctx.files.resolve(path, "read")
    if facts.kind == "missing":
        raise ToolError(f"{path} is not there.", summary="not found")
    if facts.kind != "file" or facts.size > MOST_READ:
        raise ToolError(f"{path} is no file of at most 10 MiB.", summary="not readable")
    try:
        decoded = decode(await asyncio.to_thread(ctx.files.read_bytes, facts))
    except BanksmanError as error:
        raise ToolError(str(error), summary="not readable") from error
    if decoded is None:
        raise ToolError(f"{path} is not text.", summary="not text")
    return decoded.text


def _lines(text: str, line: JsonValue, limit: JsonValue) -> str:
    """Of a text, so many lines from one on, which counts from 1."""
    first = line - 1 if isinstance(line, int) and line > 1 else 0
    last = first + limit if isinstance(limit, int) and limit >= 0 else None
    return "".join(text.splitlines(keepends=True)[first:last]) if first or last is not None else text


def _text(given: Fields, name: str) -> str:
    found = given.get(name)
    if not isinstance(found, str) or not found:
        raise WireError(WRONG_PARAMS, f"There is no {name}.")
    return found
