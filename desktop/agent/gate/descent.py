"""What a child may have of the chat above it, and what is known of a chat that wants to begin one more."""

from collections.abc import Collection, Iterable
from typing import Any

from desktop.agent.core.session import Session
from desktop.domain.children.events import GrantShared
from desktop.domain.children.values import tokens_of, weakest
from desktop.domain.core.permissions import PermissionMode, mode_label
from desktop.domain.core.usage import Usage, add_usage
from desktop.domain.events import ModeChanged
from desktop.domain.gate.rules import Rule
from desktop.policy.children import ChildrenFacts
from desktop.tools.tool import Tool

_ONLY_WHERE_LISTED = frozenset({"ask_user"})
_IN_ITS_OWN_LANE = frozenset({"commit_changes"})
_NEVER = frozenset({"exit_plan_mode"})


def may_have(session: Session, tool: Tool[Any], above: Collection[Tool[Any]]) -> bool:
    """Whether a child has a tool that its mode and its chat offer: its parent has it now, its agent's file leaves it to
    it, and it is none of those that belong to the chats of people (memory-SU4)."""
    agent, parent = session.state.agent, session.parent
    if agent is None or parent is None or not agent.may_have(tool.name):
        return False
    if not any(one.name == tool.name and one == tool for one in above):  # by name first: to compare tools is slow
        return False
    if tool.name in _NEVER or (tool.name in _ONLY_WHERE_LISTED and not agent.lists(tool.name)):
        return False
    own_lane = parent.state.lane_id != session.state.lane_id
    return tool.tier == "universal" or (tool.name in _IN_ITS_OWN_LANE and own_lane)


def children_facts(session: Session, call_id: str) -> ChildrenFacts:
    """What the rules may know of the children that a chat has begun when a call wants one more."""
    state, turn = session.state, session.state.turn
    before: list[str] = []
    for known, progress in turn.calls.items() if turn is not None else ():
        if known == call_id:
            break
        if progress.tool == "task" and (progress.started or not progress.finished):
            before.append(known)
    used = Usage()
    for child in state.children.values():
        used = add_usage(used, child.usage)
    return ChildrenFacts(
        of_turn=len(before),
        of_chat=len(state.children),
        tokens=tokens_of(used),
        more_allowed=turn is not None and turn.many_children,
    )


def asker_of(session: Session) -> str:
    """Who asks, as a card says it: of a child its agent with the path of titles that leads to it."""
    if session.state.agent is None:
        return "Agent"
    path = [one.state.title for one in reversed([session, *session.above])]
    return f"{session.state.agent.name} ({' › '.join(path)})"


def agent_section(session: Session) -> str:
    """What a child is told of itself, "" for every other chat."""
    agent = session.state.agent
    if agent is None:
        return ""
    return (
        f"# You are the sub-agent {agent.name}\n{agent.text.strip()}\nAnother agent began you and sees nothing of your "
        "work but your last text, so say there all that it needs. You see nothing of its conversation."
    )


def keeper_of_grants(session: Session, rule: Rule) -> Session:
    """In whose log a rule from a card is recorded: one for the chat alone in that of the topmost chat above a child in
    the same lane, so that it counts for all of them."""
    if rule.scope != "session":
        return session
    return [one for one in (session, *session.above) if one.state.lane_id == session.state.lane_id][-1]


def share_grants(session: Session) -> None:
    """What a person allowed in a child for as long as its chat is open counts for the chats above in its lane too
    (memory-SU3)."""
    for one in session.above:
        if one.state.lane_id != session.state.lane_id:
            return
        for key in sorted(session.session_grants - one.session_grants):
            covers = session.state.grants[key].covers if key in session.state.grants else ""
            one.append(GrantShared(child_id=session.session_id, remember_key=key, covers=covers))


def widest_for(session: Session, mode: PermissionMode) -> PermissionMode:
    """The mode that a chat would have if this one were chosen for it."""
    cap = session.state.agent.cap if session.state.agent is not None else None
    return weakest(mode, cap, session.parent.mode if session.parent is not None else None)


def tighten(session: Session, opened: Iterable[Session]) -> None:
    """Children of a chat whose mode allows less now do so too, for good (memory-SU3)."""
    for one in opened:
        if session in one.above and weakest(one.state.mode, session.mode) is not one.state.mode:
            why = f"The chat above it went to {mode_label(session.mode)}."
            one.append(ModeChanged(mode=session.mode, previous=one.state.mode, by="system", reason=why))
