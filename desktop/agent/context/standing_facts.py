"""Standing facts: what the app itself adds to a summary, from the log, so that a bad summary cannot lose it
(sessions-SX5)."""

from collections.abc import Iterator

from desktop.agent.core.session import Session
from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.core.content import TextBlock
from desktop.domain.core.permissions import mode_label
from desktop.domain.events import Envelope, ToolCallDecided, ToolCallFinished, ToolCallStarted, UserMessage
from desktop.domain.history.picked import picked

HEADING = "# Facts from the app"
MOST_NAMES = 100
PLAN_CHARS = 12_000
RULE_CHARS = 200


def standing_facts(session: Session, quote: str = "") -> str:
    """Mode, lane, todos, plan, rules, changed files, attachments, skills in use, calls with unknown outcome; `quote`:
    the person's last message, if it does not stay in the conversation."""
    state, lane, path = session.state, session.lane, session.history.path()
    lines = [HEADING, f"- Mode: {mode_label(state.mode)}."]
    if lane is not None:
        lines.append(f"- Lane: {lane.name}, branch {state.branch or lane.branch}.")
    lines += _listed("Open todos", (f"{t.content} ({t.status})" for t in state.todos if t.status != "completed"))
    lines += _listed("Rules of the user for this chat", _rules(session))
    lines += _listed("Files changed so far", _changed_files(path))
    lines += _listed("Attachments", (f"attachments:{name}" for name in _attachments(path)))
    used = (f"{name} (changed since)" if _changed(session, name) else name for name in state.skills_used)
    lines += _listed("Skills in use (load each again with use_skill before you go on by it)", used)
    lines += _listed("Calls with unknown outcome (check before repeating)", _unknown_calls(path))
    plan = _plan(path)
    if plan:
        lines.append(f"- Plan in force, approved by the user:\n\n{plan[:PLAN_CHARS]}")
    if quote.strip():
        lines.append(f"- The user's last message, word for word:\n\n{quote}")
    return "\n".join(lines)


def _listed(title: str, names: Iterator[str]) -> list[str]:
    found = list(dict.fromkeys(" ".join(name.split()) for name in names))
    if not found:
        return []
    more = [f"  - and {len(found) - MOST_NAMES} more"] if len(found) > MOST_NAMES else []
    return [f"- {title}:", *(f"  - {name}" for name in found[:MOST_NAMES]), *more]


def _changed(session: Session, skill_id: str) -> bool:
    """Whether the skill is another one than was loaded, or is gone."""
    known = {one.skill_id: one.sha256 for one in session.state.skills_known}
    return known.get(skill_id, "") not in ("", session.state.skills_used[skill_id].sha256)


def _rules(session: Session) -> Iterator[str]:
    for rule in session.rules:
        said = f" (the user said: “{rule.quote[:RULE_CHARS]}”)" if rule.quote else ""
        yield f"{rule.decision}: {rule.text[:RULE_CHARS]}{said}"


def _changed_files(log: list[Envelope]) -> Iterator[str]:
    last: dict[str, str] = {}
    for _, event in picked(log, ToolCallFinished):
        for touched in event.touched:
            last.pop(touched.path, None)
            last[touched.path] = touched.kind
    yield from (f"{path} ({kind})" for path, kind in reversed(last.items()))


def _attachments(log: list[Envelope]) -> Iterator[str]:
    for _, event in picked(log, AttachmentAdded, UserMessage):
        if isinstance(event, AttachmentAdded):
            yield event.logical_name
        elif isinstance(event, UserMessage):
            yield from event.attachments


def _unknown_calls(log: list[Envelope]) -> Iterator[str]:
    open_calls: dict[str, str] = {}
    titles: dict[str, str] = {}
    for _, event in picked(log, ToolCallDecided, ToolCallStarted, ToolCallFinished):
        if isinstance(event, ToolCallDecided):
            if event.card is not None:
                titles[event.call_id] = event.card.title
        elif isinstance(event, ToolCallStarted):
            open_calls[event.call_id] = event.tool
        elif isinstance(event, ToolCallFinished):
            open_calls.pop(event.call_id, None)
    yield from (titles.get(call_id, tool) for call_id, tool in open_calls.items())


def _plan(log: list[Envelope]) -> str:
    """The plan that was approved last, "" if none was."""
    plans: set[str] = set()
    approved = ""
    for envelope in log:
        event = envelope.event
        if isinstance(event, ToolCallStarted) and event.tool == "exit_plan_mode":
            plans.add(event.call_id)
        elif isinstance(event, ToolCallFinished) and event.call_id in plans and event.outcome == "ok":
            texts = [block.text for block in event.blocks if isinstance(block, TextBlock)]
            approved = texts[0] if texts else approved
    return approved
