"""Digests for the model: another chat from its log, and a lane as it stands."""

from collections.abc import Sequence

from desktop.agent.core.session import Session
from desktop.domain.core.work import SessionSummary
from desktop.domain.events import AssistantMessage, UserMessage
from desktop.domain.history.own_words import own_words
from desktop.domain.history.picked import picked
from desktop.domain.history.state_of import message_text
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.tools.text import clip, count_words, one_line

MOST_SAID = 8
SAID_CHARS, ANSWER_CHARS, DIGEST_CHARS = 400, 2_000, 8_000
_LOOKED_AT = 2_000


def chat_digest(chat: Session, summary: SessionSummary) -> str:
    """What a chat is about and how far it is: its title, lane and state, what its person asked for last, its todos, and
    the end of its last answer."""
    state = "is waiting for its person" if summary.waiting else f"is {summary.activity.value.replace('_', ' ')}"
    lines = [f"The chat “{summary.title}” {state}; {count_words(summary.turns, 'turn')}."]
    if summary.lane_name:
        lines.append(f"Its lane: {summary.lane_name}" + (f", branch {summary.branch}." if summary.branch else "."))
    if summary.failed:
        lines.append(f"Its last turn failed: {one_line(summary.failed, SAID_CHARS)}")
    todos = [f"- [{todo.status}] {one_line(todo.content, SAID_CHARS)}" for todo in chat.state.todos]
    lines += ["Its todos:", *todos] if todos else []
    said, answer = _last_words(chat)
    lines += ["Its person asked, oldest first:", *said] if said else []
    lines += ["Its last answer ends so:", answer] if answer else []
    return clip("\n".join(lines), DIGEST_CHARS, whole="")


def _last_words(chat: Session) -> tuple[list[str], str]:
    """What its person said last, oldest first, and the end of its last answer."""
    said: list[str] = []
    answer = ""
    for looked, (_, event) in enumerate(picked(reversed(chat.log), UserMessage, AssistantMessage)):
        if isinstance(event, AssistantMessage):
            answer = answer or message_text(event).strip()[-ANSWER_CHARS:]
        elif isinstance(event, UserMessage) and event.origin in ("person", "queued"):
            said.append(f"- {one_line(event.display or own_words(event), SAID_CHARS)}")
        if (len(said) >= MOST_SAID and answer) or looked >= _LOOKED_AT:
            break
    return said[:MOST_SAID][::-1], answer


def lane_digest(lane: Lane, status: LaneStatus | None, chats: Sequence[str]) -> str:
    """A lane with its branch, what differs there, how it stands to its base, and its chats."""
    lines = [f"Lane {lane.name}: {f'branch {lane.branch}' if lane.branch else 'no branch'}, {lane.state}."]
    if lane.description:
        lines.append(lane.description)
    if status is None or status.problem:
        lines.append(f"How it stands is not known{f': {status.problem}' if status is not None else '.'}")
    else:
        lines.append(f"It changes {count_words(status.changed_files, 'file')}, +{status.added} −{status.removed}.")
        waiting = status.staged + status.unstaged + status.untracked
        lines.append(f"Not committed: {count_words(waiting, 'file')}; in conflict: {status.conflicted}.")
        if status.ahead is not None and status.behind is not None:
            lines.append(f"Against {lane.base_ref or 'its base'}: {status.ahead} ahead, {status.behind} behind.")
    if lane.pr_number:
        lines.append(f"Its pull request is #{lane.pr_number}.")
    lines += [f"Chat in it: {one_line(title, SAID_CHARS)}" for title in chats]
    return "\n".join(lines)
