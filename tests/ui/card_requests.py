"""Requests with everything a card can show, and what the engine says about them; for tests and pictures of cards."""

from datetime import timedelta
from typing import Any

from desktop.domain.core.content import Card, CodeBlock, DiffBlock, FileListBlock
from desktop.domain.core.permissions import Category, PermissionMode
from desktop.domain.gate.effects import EffectPreview, TableEffect
from desktop.domain.gate.pending import ApprovalRequest, GrantOffer, NetworkOffer, ShownCommand, ShownSql
from desktop.domain.gate.rules import PastCall, Simulation
from desktop.domain.preview.effect import Effect, EffectFile, not_shown
from desktop.domain.preview.events import CommandTried
from desktop.domain.updates import EditChecked, RulePreviewed
from tests.ui.card_scenes import NOW, SESSION

NO_RULE = "No rule covers this command, so it asks in Edit mode."
LINE = "git status --short && npm run build -- --minify"
FETCH = "curl -fsSL https://example.org/install.json | jq .version"
DELETE = "DELETE FROM sessions\nWHERE expires_at < now() - interval '7 days'"
UNIFIED = (
    "@@ -1,4 +1,6 @@\n jobs:\n   test:\n-    runs-on: ubuntu-22.04\n+    runs-on: ubuntu-24.04\n+    permissions:\n"
    "+      contents: read\n     steps:"
)


def request(card: Card, **fields: Any) -> ApprovalRequest:
    """A request with sensible values for what a test does not care about."""
    values: dict[str, Any] = {
        "call_id": "call_1", "card": card, "category": Category.BASH, "reason": NO_RULE,
        "rule": "mode", "mode": PermissionMode.EDIT, "digest": "ab" * 32, "lane": "lane/fix-login", "cwd": ".",
        "head": "3fa9c1b2d4e5f607", "grants": (GrantOffer(scope="once", covers="Exactly this call, once."),),
    }  # fmt: skip
    return ApprovalRequest(**{**values, **fields})


def command(**fields: Any) -> ApprovalRequest:
    """A line of two commands, one of which asks; all grants are offered."""
    tokens = (("npm", "run", "build"),)
    covers = "`npm run build` with anything after it"
    project = f"{covers}, in every lane of this project, until you remove the rule."
    values: dict[str, Any] = {
        "subject": "command", "risk": "medium",
        "arguments": {"command": LINE, "timeout_s": 120}, "editable": ("command",),
        "commands": (
            ShownCommand(words=("git", "status", "--short"), start=0, end=18, state="read"),
            ShownCommand(words=("npm", "run", "build", "--", "--minify"), start=22, end=47),
        ),
        "grants": (
            GrantOffer(scope="once", covers="Exactly this call, once."),
            GrantOffer(scope="session", covers=f"{covers}, until this chat is closed.", tokens=tokens),
            GrantOffer(scope="project", covers=project, tokens=tokens),
        ),
        "sandbox": "full", "network": "off", "runs_lane_code": True, "report_id": "sbx-20261121",
        "source": "Build the bundle to see whether it still compiles.",
        "would_not_ask": "A rule that covers the command, a command that only reads, or Full auto.",
        "tainted": (".env",),
    }  # fmt: skip
    values["card"] = Card(title="git status --short && …", blocks=(CodeBlock(language="bash", text=LINE),))
    return request(**{**values, **fields})


def fetching(**fields: Any) -> ApprovalRequest:
    """A command that names a host, in the sandbox without the network, with the offer to reach it."""
    line = FETCH
    words = ("curl", "-fsSL", "https://example.org/install.json")
    reach = "Commands may reach example.org"
    offer = NetworkOffer(
        hosts=("example.org",),
        edited_input={"command": line, "hosts": "example.org"},
        digest="d" * 64,
        says=("It may reach example.org.", "It can send out all that it can read: this lane and the rest of the "
              "disk, except /tmp, /run and home folders (tools there it can read). Without a sandbox it can read what "
              "you can."),
        grants=(
            GrantOffer(scope="session", covers=f"{reach}, until this chat is closed.", hosts=("example.org",)),
            GrantOffer(scope="project", covers=f"{reach}, in every lane of this project.", hosts=("example.org",)),
        ),
    )  # fmt: skip
    values: dict[str, Any] = {
        "arguments": {"command": line, "hosts": ""}, "editable": ("command", "hosts"), "runs_lane_code": False,
        "commands": (
            ShownCommand(words=words, start=0, end=45, reason="This program is not among those that only read."),
            ShownCommand(words=("jq", ".version"), start=48, end=59, state="read"),
        ),
        "grants": (GrantOffer(scope="once", covers="Exactly this call, once."),), "tainted": (),
        "no_grant": "curl is asked about every time.", "network_offer": offer,
        "source": "",
        "card": Card(title="curl -fsSL https://example.org/…", blocks=(CodeBlock(language="bash", text=line),)),
    }  # fmt: skip
    return command(**{**values, **fields})


def previewed(tokens: tuple[tuple[str, ...], ...] = (("npm", "run", "build"),), **fields: Any) -> RulePreviewed:
    """Fourteen past calls, all allowed by the person."""
    calls = [past("npm run build", hours) for hours in range(14)]
    values: dict[str, Any] = {
        "session_id": SESSION, "input_id": "inp_1", "tokens": tokens,
        "allows": "npm run build, with anything after it",
        "not_allows": "npm run deploy; redirections; substitutions",
        "simulation": simulation(calls),
    }  # fmt: skip
    return RulePreviewed(**{**values, **fields})


def past(text: str, hours: float, outcome: str = "approved") -> PastCall:
    """A past call so many hours ago."""
    return PastCall.model_validate({
        "session_id": SESSION, "call_id": f"call_{hours}", "at": NOW - timedelta(hours=hours), "text": text,
        "outcome": outcome,
    })  # fmt: skip


def tried(**fields: Any) -> CommandTried:
    """A build that changed three files, made one and deleted one in the copy."""
    changed = tuple(EffectFile(path=path, kind="modify") for path in ("README.md", "src/app.ts", "src/main.ts"))
    files = (*changed, EffectFile(path="dist/app.js", kind="create"), EffectFile(path="dist/old.js", kind="delete"))
    blocks = tuple(
        DiffBlock(path=file.path, unified=f"@@ -1 +1 @@\n-old {file.path}\n+new {file.path}", added=1, removed=1)
        for file in files
    )
    values: dict[str, Any] = {
        "input_id": "inp_1", "call_id": "call_1", "call_digest": "ab" * 32, "tier": "overlay", "digest": "cd" * 32,
        "effect": Effect(files=files, ignored=2, tree_before="1" * 40, tree_after="2" * 40), "ending": "exited",
        "exit_code": 0, "duration_ms": 1_840, "output": "built in 1.7 s\n", "blocks": blocks,
        "limits": not_shown("overlay"),
    }  # fmt: skip
    return CommandTried(**{**values, **fields})


def tried_with_ignored(**fields: Any) -> CommandTried:
    """The same, whose files that Git ignores can be ticked."""
    beside = (
        EffectFile(path="build/app.o", kind="create", size=20_480),
        EffectFile(path="build/old.o", kind="delete"),
    )
    effect = tried().effect.model_copy(update={"beside": beside})
    return tried(**{"effect": effect, "ticked_digest": "ef" * 32, **fields})


def simulation(calls: list[PastCall], **fields: Any) -> Simulation:
    """What a rule would have matched, all of it listed."""
    values: dict[str, Any] = {
        "checked": 214, "would_match": len(calls), "examples": tuple(calls),
        "declined": sum(call.outcome == "declined" for call in calls),
    }  # fmt: skip
    return Simulation(**{**values, **fields})


def edited(asked: ApprovalRequest, line: str, **fields: Any) -> EditChecked:
    """The person's version of a command, judged fit to run."""
    checked = asked.model_copy(update={
        "card": Card(title=line, blocks=(CodeBlock(language="bash", text=line),)), "arguments": {"command": line},
        "digest": "cd" * 32, "edited_from": asked.digest, "grants": asked.grants[:1],
        "commands": (ShownCommand(words=tuple(line.split())),), "risk": "low", **fields,
    })  # fmt: skip
    sent = {**asked.arguments, "command": line}
    return EditChecked(session_id=SESSION, input_id="inp_1", edited_input=sent, request=checked)


def rows(*values: str) -> tuple[tuple[str, ...], ...]:
    """Rows of three cells from lines with blanks between."""
    return tuple(tuple(value.split(" ", 2)) for value in values)


DELETED = EffectPreview(
    tables=(
        TableEffect(
            table="sessions", deleted=1204, rows_before=9310, columns=("id", "user_id", "expires_at"),
            before=rows(*(f"{4100 + n} {17 + n * 3} 2026-11-{1 + n:02} 08:14" for n in range(20))),
        ),
        TableEffect(table="cart_items", deleted=3, rows_before=118, by="cascade"),
    ),
    cascades=("cart_items_session_fkey",),
    not_undone=("The sequence sessions_id_seq stays advanced.",),
)  # fmt: skip
UPDATED = EffectPreview(
    tables=(
        TableEffect(
            table="orders", updated=2, rows_before=51, columns=("id", "state", "total"),
            before=rows("7 open 12.00", "9 open 8.50"), after=rows("7 closed 12.00", "9 closed 8.50"),
        ),
    ),
)  # fmt: skip


def sql(text: str = DELETE, **fields: Any) -> ApprovalRequest:
    """A DELETE on staging, with a preview."""
    shown = ShownSql(
        connection="staging", dialect="postgres", target="db.example.org", kinds=("DELETE",), tables=("sessions",),
        class_="destructive", fragment="DELETE FROM sessions", span=(0, 20),
    )  # fmt: skip
    values: dict[str, Any] = {
        "subject": "sql", "category": Category.EXTERNAL, "risk": "medium", "risk_flags": ("changes_data",),
        "reason": "This SQL can lose rows or tables.", "rule": "sql_consent",
        "sql": shown, "arguments": {"sql": text, "connection": "staging"}, "editable": ("sql",), "preview": DELETED,
    }  # fmt: skip
    card = Card(title=f"Run SQL on staging: {text}", blocks=(CodeBlock(language="sql", text=text),))
    return request(card, **{**values, **fields})


def drop(**fields: Any) -> ApprovalRequest:
    """A DROP TABLE on production: irreversible, without a preview."""
    text = "DROP TABLE orders"
    shown = ShownSql(
        connection="shop-live", dialect="mysql", production=True, kinds=("DROP TABLE",), tables=("orders",),
        class_="schema", fragment=text, span=(0, len(text)),
    )  # fmt: skip
    values: dict[str, Any] = {
        "sql": shown, "irreversible": True, "confirm_word": "shop-live", "risk": "irreversible",
        "risk_flags": ("changes_schema", "irreversible", "production"),
        "reason": "This SQL can lose rows or tables.",
        "preview": EffectPreview(problem="the server commits it at once"),
        "arguments": {"sql": text, "connection": "shop-live"},
    }  # fmt: skip
    return sql(text, **{**values, **fields})


def on_click() -> ApprovalRequest:
    """An UPDATE whose effect is tried only when a person asks."""
    text = "UPDATE orders SET state = 'closed' WHERE state = 'open'"
    shown = ShownSql(
        connection="staging", dialect="postgres", kinds=("UPDATE",), tables=("orders",), class_="write",
        fragment="UPDATE orders", span=(0, 13),
    )  # fmt: skip
    return sql(text, sql=shown, preview=EffectPreview(on_click=True), reason="This SQL changes rows.")


def protected_file() -> ApprovalRequest:
    """A file with secrets that the agent wants to read."""
    card = Card(title="Read .env.production", blocks=(FileListBlock(paths=(".env.production",)),))
    return request(
        card, subject="path", category=Category.READ, risk="high", risk_flags=("protected",),
        rule="path", reason="'.env.production' is protected: a file of this name usually holds secrets.",
        would_not_ask="Nothing: this asks in every mode.",
    )  # fmt: skip


def workflow_edit() -> ApprovalRequest:
    """A change of a file that runs elsewhere, and that has another name too."""
    path = ".github/workflows/test.yml"
    card = Card(title=f"Edit {path}", blocks=(DiffBlock(path=path, unified=UNIFIED, added=3, removed=1),))
    return request(
        card, subject="edit", category=Category.WRITE, risk="high", risk_flags=("protected",), rule="file_kind",
        reason=f"'{path}' has 2 names (hard links), all of them would change.", editable=("new_string",),
        arguments={"file_path": path, "old_string": "ubuntu-22.04", "new_string": "ubuntu-24.04"},
    )  # fmt: skip
