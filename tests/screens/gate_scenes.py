"""Scenes of cards with all that a judgement says: words, sandbox, rules, edits, previews, warnings."""

from collections.abc import AsyncIterator

from desktop.domain.core.content import Card, CodeBlock, TableBlock
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.update import Update
from desktop.domain.events import (
    Envelope,
    Event,
    InputRequested,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
)
from desktop.domain.gate.pending import ApprovalRequest, EditField
from desktop.domain.preview.updates import TriedInCopy, TryProgress
from desktop.domain.updates import EditChecked, EffectShown
from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.samples import TASK
from tests.screens.stage import Stage
from tests.ui import card_requests as requests

TITLE = "Fix login redirect loop"
QUERY = "SELECT id, customer, total, paid, note FROM orders ORDER BY total DESC"
ORDERS = TableBlock(
    columns=("id", "customer", "total", "paid", "note"),
    rows=tuple(
        (f"{4100 + n}", name, f"{980.5 - 41.25 * n:.2f}", "t" if n % 3 else "f", "NULL" if n % 4 else "gift, wrapped")
        for n, name in enumerate(("Ann Miller", "Bo Chen", "Céline Roy", "Dana Weiss", "Eli Stone", "Fay Okoro") * 4)
    ),
    more=1211, types=("integer", "text", "numeric", "boolean", "text"),
    nulls=tuple((n, 4) for n in range(24) if n % 4),
)  # fmt: skip


class Waiting:
    """A chat with a card that waits, whose request is then the one a scene is about."""

    def __init__(self, stage: Stage, session_id: str, asked: InputRequested) -> None:
        self._stage, self._session_id, self._asked = stage, session_id, asked
        self._seq = 1_000

    async def show(self, request: ApprovalRequest, *more: ApprovalRequest) -> None:
        """Ask this in place of what was asked; `more` wait behind it."""
        lane = self._asked.request.lane if isinstance(self._asked.request, ApprovalRequest) else ""
        same = request.model_copy(update={"call_id": self._asked.call_id, "lane": lane or request.lane})
        self._ask(self._asked.input_id, same)
        for number, other in enumerate(more):
            self._ask(f"inp_more_{number}", other.model_copy(update={"call_id": f"call_more_{number}"}))
        await self._stage.card()

    async def say(self, update: Update) -> None:
        """Let the engine say this of the request."""
        if isinstance(update, Envelope):
            self._stage.window.apply_updates([update])
        else:
            place = {"session_id": self._session_id, "input_id": self._asked.input_id}
            self._stage.window.apply_updates([update.model_copy(update=place)])
        await self._stage.rest(0.3)

    def append(self, event: Event) -> None:
        """One more event of the chat."""
        self._seq += 1
        envelope = Envelope(
            event_id=f"evt_{self._seq}", session_id=self._session_id, seq=self._seq, parent_id=None,
            at=self._stage.clock(), event=event,
        )  # fmt: skip
        self._stage.window.apply_updates([envelope])

    def _ask(self, input_id: str, request: ApprovalRequest) -> None:
        self.append(InputRequested(input_id=input_id, call_id=request.call_id, request=request))


async def _waiting(stage: Stage, line: str = requests.LINE) -> Waiting:
    session_id = await stage.chat(TASK, tool_turn("bash", command=line), title=TITLE)
    asked = await stage.asked(session_id)
    await stage.card()
    return Waiting(stage, session_id, asked)


async def gate_command(stage: Stage) -> AsyncIterator[str]:
    """11 with words, sandbox line and why"""
    waiting = await _waiting(stage)
    await waiting.show(requests.command())
    yield "11-card-command-words"
    await stage.click("approval_why")
    yield "11-card-command-words-why"


async def gate_warnings(stage: Stage) -> AsyncIterator[str]:
    """39 with what the judgement warns of"""
    waiting = await _waiting(stage)
    warnings = ("A command follows a comment.", "Bytes reach an interpreter: curl | sh.")
    await waiting.show(requests.command(warnings=warnings, sandbox="none", network="open", risk="high"))
    yield "39-card-command-warnings"


async def gate_network(stage: Stage) -> AsyncIterator[str]:
    """11 with the host that it names"""
    waiting = await _waiting(stage, requests.FETCH)
    await waiting.show(requests.fetching())
    yield "11-card-command-network"
    await stage.click("approval_network")
    yield "11-card-command-network-row"


async def gate_rule(stage: Stage) -> AsyncIterator[str]:
    """12 rule editor"""
    waiting = await _waiting(stage)
    await waiting.show(requests.command())
    await stage.click("approval_save_rule")
    yield "13-rule-editor-no-calls"
    await waiting.say(requests.previewed())
    yield "13-rule-editor"
    await stage.click("rule_token_remove")
    calls = [requests.past("npm run build", 2), requests.past("npm run deploy", 5, "declined")]
    shorter = (("npm", "run"),)
    await waiting.say(
        requests.previewed(
            shorter,
            simulation=requests.simulation(calls),
            allows="npm run, with anything after it",
            not_allows="npm deploy; redirections; substitutions",
        )
    )
    yield "13-rule-editor-declined"
    await stage.click("rule_token_remove")
    problem = "npm alone would allow too much. Add the next word of the command."
    await waiting.say(requests.previewed((("npm",),), problem=problem, allows="", not_allows=""))
    yield "13-rule-editor-too-broad"


async def gate_edit(stage: Stage) -> AsyncIterator[str]:
    """14 edit mode"""
    waiting = await _waiting(stage)
    asked = requests.command()
    await waiting.show(asked)
    await stage.click("approval_edit")
    yield "14-edit"
    await _type_command(stage, outside := "rm -rf ~")
    sent = {**asked.arguments, "command": outside}
    refusal = (
        "Refused by a built-in protection: It would delete or change a whole system folder, the home folder or a "
        "parent of the lane. (D-root) No mode or rule can allow it."
    )
    await waiting.say(EditChecked(session_id="", input_id="", edited_input=sent, problem=refusal))
    yield "14-edit-refused"
    await _type_command(stage, line := "npm run build")
    await waiting.say(requests.edited(asked, line))
    await stage.rest(0.6)
    yield "14-edit-checked"


async def _type_command(stage: Stage, line: str) -> None:
    """Write this in the place of the command, and let it be checked."""
    field = await stage.find("approval_edit_field")
    field.selectAll()  # type: ignore[attr-defined]  # found by name, a text field
    await stage.type("approval_edit_field", line)
    await stage.click("approval_edit_check")


async def gate_edit_controls(stage: Stage) -> AsyncIterator[str]:
    """14 numbers, ticks and choices"""
    waiting = await _waiting(stage)
    fields = (
        EditField(name="command", kind="text"),
        EditField(name="timeout_ms", kind="integer", least=1000, about="Time limit in milliseconds."),
        EditField(name="network", kind="boolean", about="Ask a person to let this command reach the network."),
        EditField(name="shell", kind="choice", choices=("bash", "sh"), optional=True),
    )
    sent = {"command": requests.LINE, "timeout_ms": 120_000, "network": False, "shell": None}
    names = tuple(field.name for field in fields)
    await waiting.show(requests.command(arguments=sent, editable=names, fields=fields))
    await stage.click("approval_edit")
    yield "14-edit-controls"


async def gate_sql(stage: Stage) -> AsyncIterator[str]:
    """16 SQL"""
    waiting = await _waiting(stage)
    await waiting.show(requests.sql())
    yield "16-card-sql-preview"
    await waiting.show(requests.on_click())
    yield "16-card-sql-on-click"
    await stage.click("approval_preview_run")
    await waiting.say(EffectShown(session_id="", input_id="", preview=requests.UPDATED))
    yield "16-card-sql-tried"


async def gate_sql_irreversible(stage: Stage) -> AsyncIterator[str]:
    """17 irreversible and production"""
    waiting = await _waiting(stage)
    await waiting.show(requests.drop())
    yield "17-card-sql-irreversible"
    await stage.type("approval_confirm_word", "shop-live")
    yield "17-card-sql-irreversible-typed"


async def gate_try(stage: Stage) -> AsyncIterator[str]:
    """14 a command tried in a copy of the lane"""
    line = "sed -i 's/login/log-in/' README.md && mkdir -p dist && date > dist/built.txt && ls dist"
    session_id = await stage.chat(TASK, tool_turn("bash", command=line), title=TITLE)
    asked = await stage.asked(session_id)
    await stage.card()
    waiting = Waiting(stage, session_id, asked)
    yield "14-try-offered"
    await stage.click("approval_try")
    await stage.find("approval_apply_effect")
    await stage.rest(0.6)
    yield "14-try-shown"
    await waiting.say(TryProgress(session_id="", input_id="", text="Running in the copy…"))
    yield "14-try-runs"
    digest = asked.request.digest if isinstance(asked.request, ApprovalRequest) else ""
    first = requests.tried()
    changed, blocks = first.effect.files[:1], first.blocks[:1]
    effect = requests.tried_with_ignored().effect.model_copy(update={"files": changed})
    ignored = requests.tried_with_ignored(effect=effect, blocks=blocks, output="", call_digest=digest)
    await waiting.say(TriedInCopy(session_id="", input_id="", tried=ignored))
    await stage.click("approval_try_ignored")
    await stage.rest(0.6)
    yield "14-try-ignored"
    why = ".envrc is protected: other programs run or trust this file on sight."
    effect = first.effect.model_copy(update={"files": changed, "stops": (why,)})
    stopped = requests.tried(effect=effect, digest="", blocks=blocks, output="")
    await waiting.say(TriedInCopy(session_id="", input_id="", tried=stopped))
    yield "14-try-stopped"
    problem = "No preview: the lane has more than 5,000 files or very large ones, which are not copied."
    nothing = requests.tried(problem=problem, digest="")
    await waiting.say(TriedInCopy(session_id="", input_id="", tried=nothing))
    yield "14-try-none"


async def gate_files(stage: Stage) -> AsyncIterator[str]:
    """15 protected files"""
    waiting = await _waiting(stage)
    await waiting.show(requests.protected_file())
    yield "15-card-protected-read"
    await waiting.show(requests.workflow_edit())
    yield "15-card-protected-edit"


async def gate_three_cards(stage: Stage) -> AsyncIterator[str]:
    """11, three at once"""
    waiting = await _waiting(stage)
    await waiting.show(requests.command(), requests.sql(), requests.protected_file())
    yield "11-card-one-of-three"


async def gate_result_grid(stage: Stage) -> AsyncIterator[str]:
    """29 rows of a query"""
    session_id = await stage.chat("Which orders are large?", text_turn("I look."), title="Large orders")
    await stage.ended(session_id)
    rows = stage.window.page.transcript.model
    await stage.until(lambda: any(row.kind == "assistant" for row in rows.rows), "the answer")
    asked = InputRequested(input_id="inp_0", call_id="call_0", request=requests.sql())
    waiting = Waiting(stage, session_id, asked)
    card = Card(title=f"Run SQL on staging: {QUERY}", blocks=(CodeBlock(language="sql", text=QUERY),))
    waiting.append(
        ToolCallDecided(
            call_id="call_0", name_called="sql_query", card=card, verdict=Verdict.ALLOW, rule="proven_read",
            mode=PermissionMode.EDIT, category="read",
        )
    )  # fmt: skip
    waiting.append(ToolCallStarted(call_id="call_0", tool="sql_query"))
    summary = "24 rows · 5 columns · 4 ms"
    waiting.append(ToolCallFinished(call_id="call_0", outcome="ok", summary=summary, duration_ms=4, blocks=(ORDERS,)))
    await stage.rest()
    row = await stage.until(lambda: next((row for row in rows.rows if row.calls), None), "the query")
    stage.window.page.transcript.set_expanded(row.key, True)
    await stage.rest()
    yield "29-result-grid"
