"""What the Audit tab says of one decision, of all, and as text to copy."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence

from pydantic import JsonValue

from desktop.domain.display.shown_text import block_text, shown_text
from desktop.domain.display.surfaces import surface_text
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.hooks.events import HookRan
from desktop.language import number, said, tr
from desktop.ui.audit.fold import DECISIONS, HOOK_WORDS, WORDS, AuditRow
from desktop.ui.gate.sandbox_words import counted, gap_lines, level_sentence, made_with
from desktop.ui.text.format import count, duration, full_time
from desktop.ui.text.gate_words import gate_rule_words

NO_REVERT = tr("What a command did is not recorded file by file, so it cannot be taken back here.")


def counts_text(rows: Sequence[AuditRow]) -> str:
    """How many decisions there are, of each kind, and how many are to be looked back on."""
    if not rows:
        return ""
    hosts = sum(row.traffic is not None and row.traffic.connections > 0 for row in rows)
    kept = sum(row.traffic is not None and not row.traffic.connections for row in rows)
    hooks = sum(row.hook is not None for row in rows)
    rows = [row for row in rows if row.traffic is None and row.hook is None]
    found = Counter(row.decision for row in rows)
    alone = found.pop("unasked", 0)
    kinds = ", ".join(f"{number(found[word])} {DECISIONS[word]}" for word in WORDS if found[word])
    reviews = sum(bool(row.review) for row in rows)
    told = [f"{count(len(rows) - alone, 'decision')}{': ' if kinds else ''}{kinds}"] if kinds or not alone else []
    decided = " · ".join([*told, *([f"{number(alone)} {DECISIONS['unasked']}"] if alone else [])])
    reached = tr(" · {hosts} beyond this computer", hosts=count(hosts, "host")) if hosts else ""
    reached += tr(" · {hosts} refused", hosts=count(kept, "host")) if kept else ""
    reached += tr(" · {runs} of hooks", runs=count(hooks, "run")) if hooks else ""
    return decided + reached + (tr(" · {reviews} to review", reviews=number(reviews)) if reviews else "")


def table_text(rows: Sequence[AuditRow]) -> str:
    """Rows as lines with tabs between the columns, the full time first."""
    return "".join("\t".join((full_time(row.at), *row.cells[1:])) + "\n" for row in rows)


def shown_differs(row: AuditRow) -> str:
    """The SHA-256 of the text that was on screen, when it is not the one that the request gives: "" if it is."""
    proof = row.proof
    if proof.resolved is None or not proof.resolved.shown_sha256 or proof.request is None:
        return ""
    text = shown_text(proof.request).encode("utf-8", "surrogatepass")
    recorded = proof.resolved.shown_sha256
    return "" if hashlib.sha256(text).hexdigest() == recorded else recorded


def evidence_text(row: AuditRow, recorded: str = "") -> str:
    """Everything that is recorded of a decision, as plain text. `recorded`: the text that was on screen, where only the
    store has it."""
    sections = [_head(row), _evidence(row, recorded), *_versions(row), _sandbox(row), _result(row)]
    return "\n\n".join(section for section in sections if section)


def _head(row: AuditRow) -> str:
    decided = row.proof.decided
    note = row.proof.resolved.answer.note if row.proof.resolved is not None else ""
    lines = (
        tr("{at}, turn {turn}", at=full_time(row.at), turn=row.turn) if row.turn else full_time(row.at),
        f"{DECISIONS[row.decision].capitalize()}{(tr(' by {by}', by=row.by) if row.by else '')}",
        tr("Rule: {rule}", rule=_plain(gate_rule_words(row.rule))) if row.rule else "",
        tr("Why: {reason}", reason=_plain(said(decided.reason, codes=True)))
        if decided is not None and decided.reason
        else "",
        tr("Note: {note}", note=_plain(note)) if note else "",
        tr("Digest: {digest}", digest=row.digest) if row.digest else "",
    )
    return "\n".join(line for line in lines if line)


def _evidence(row: AuditRow, recorded: str) -> str:
    request, resolved, decided = row.proof.request, row.proof.resolved, row.proof.decided
    if request is None or not request.blocking:
        blocks = decided.card.blocks if decided is not None and decided.card is not None else ()
        text = "\n".join(map(block_text, blocks))
        shown = tr("Not shown before it ran\n{text}", text=text) if text else ""
        warned = "\n".join([tr("Look at this"), *map(_plain, row.warnings)]) if row.warnings else ""
        return "\n\n".join(part for part in (warned, shown) if part)
    differs = shown_differs(row)
    if differs and not recorded:
        return tr("As shown\nThe text that was on screen is being read…")
    text = _plain(recorded) if differs else shown_text(request)
    kept = resolved.shown_sha256 if resolved is not None else ""
    return tr("As shown\n{text}", text=text) + (tr("\nKept as sha256 {kept}", kept=kept) if kept else "")


def _versions(row: AuditRow) -> list[str]:
    """Both versions of a call that a person changed."""
    request, resolved = row.proof.request, row.proof.resolved
    edited = resolved.answer.edited_input if resolved is not None else None
    if edited is None or not isinstance(request, ApprovalRequest):
        return []
    merged: dict[str, JsonValue] = {**request.arguments, **edited}
    return [
        tr("The agent's version\n{arguments}", arguments=_arguments(request.arguments)),
        tr("The person's version\n{merged}", merged=_arguments(merged)),
    ]


def _sandbox(row: AuditRow) -> str:
    report = row.proof.sandbox
    if report is None or row.proof.started is None or row.proof.started.report_id not in ("", report.id):
        return ""
    gaps = [tr("Not stopped: {gap}", gap=gap) for gap in gap_lines(report)]
    lines = [tr("Sandbox"), level_sentence(report.level), made_with(report), counted(report), *gaps]
    return "\n".join(line for line in lines if line)


def _result(row: AuditRow) -> str:
    finished = row.proof.finished
    if row.traffic is not None:
        return tr("Beyond this computer\n{result}", result=row.result)
    if row.hook is not None:
        return _hook(row.hook)
    if finished is None:
        return ""
    files = [f"{file.kind} {_plain(file.path)}  +{file.added} −{file.removed}" for file in finished.touched]
    return "\n".join([tr("Result"), row.came_of_it, *files])


def _hook(ran: HookRan) -> str:
    lines = (
        tr("The hook"),
        tr("It {decision}", decision=HOOK_WORDS.get(ran.decision, ran.decision))
        + (f": {_plain(said(ran.reason))}" if ran.reason else ""),
        tr("It did not end by itself")
        if ran.exit_status is None
        else tr("It ended with status {exit_status}", exit_status=ran.exit_status),
        tr("after {duration_ms}", duration_ms=duration(ran.duration_ms)),
        tr("It printed as an error: {stderr}", stderr=_plain(ran.stderr)) if ran.stderr else "",
        tr("About the call {call_id}", call_id=_plain(ran.call_id)) if ran.call_id else "",
    )
    return "\n".join(line for line in lines if line)


def _arguments(values: dict[str, JsonValue]) -> str:
    return surface_text(json.dumps(values, ensure_ascii=False), "tool_args")


def _plain(text: str) -> str:
    return surface_text(text, "commit_message")
