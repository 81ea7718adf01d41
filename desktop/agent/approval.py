"""What consent is about: the action a digest is made of, and the request that a card draws."""

import hashlib
from pathlib import Path
from typing import Any

from desktop.agent.prepared import Prepared
from desktop.agent.session import Session
from desktop.domain.action import Action, ActionFile, canonical_json
from desktop.domain.display import has_tokens
from desktop.domain.errors import BanksmanError
from desktop.domain.pending import ApprovalRequest, GrantOffer, RiskFlag
from desktop.domain.permissions import Category, Decision
from desktop.policy.gate import CallFacts
from desktop.policy.paths import PathFacts
from desktop.services.git import head_commit
from desktop.tools.tool import Tool, ToolArgs

HOSTED_WRITES_KEY = "hosted-writes"
_ONCE = "Exactly this call, once."


def call_action(session: Session, tool: Tool[Any], args: ToolArgs, facts: CallFacts) -> Action:
    """The canonical action of a call as the world is now (gate-G22). Two equal actions have the same effect."""
    lane = session.lane
    values = args.model_dump(mode="json")
    command = values.get("command") if tool.category is Category.BASH else None
    files = tuple(_action_file(session, path) for path in facts.paths)
    leaves_lane = tool.category in (Category.BASH, Category.EXTERNAL)
    return Action(
        tool=tool.name,
        tool_sha256=_sha256(canonical_json({"schema": tool.schema, "description": tool.description})),
        args=values,
        lane=lane.id if lane is not None else "",
        lane_root=(lane.device, lane.inode) if lane is not None else (0, 0),
        cwd=facts.paths[0].rel if command is not None and facts.paths else ".",
        head=head_commit(Path(lane.worktree_path)) if leaves_lane and lane is not None else None,
        command_sha256=_sha256(command) if isinstance(command, str) else None,
        files=tuple(sorted(files, key=lambda file: file.path)),
        env_profile="lane",
        sandbox_profile="bare",
        network="open",
    )


def approval_request(session: Session, prepared: Prepared) -> ApprovalRequest:
    """Everything the card shows, frozen now."""
    tool, args, facts, decision = prepared.tool, prepared.args, prepared.facts, prepared.decision
    if tool is None or args is None or facts is None:
        raise BanksmanError("A call that was never judged cannot be asked about.")
    lane = session.lane
    values = args.model_dump(mode="json")
    leaves_lane = tool.category in (Category.BASH, Category.EXTERNAL)
    return ApprovalRequest(
        call_id=prepared.call_id,
        card=tool.card(args),
        category=tool.category,
        reason=decision.reason,
        rule=decision.rule,
        hits=decision.hits,
        mode=session.state.mode,
        digest=prepared.action_digest,
        grants=_grants(tool, args, facts, decision),
        remember_key=_remember_key(facts, decision),
        risk_flags=_risk_flags(tool, facts),
        source=str(values.get("description") or ""),
        lane=lane.name if lane is not None else "",
        cwd=str(values.get("cwd") or "."),
        head=head_commit(Path(lane.worktree_path)) if leaves_lane and lane is not None else "",
    )


def _grants(tool: Tool[Any], args: ToolArgs, facts: CallFacts, decision: Decision) -> tuple[GrantOffer, ...]:
    once = GrantOffer(scope="once", covers=_ONCE)
    hidden = any(has_tokens(text, multiline=True) for text in args.model_dump().values() if isinstance(text, str))
    liftable = all(hit.liftable for hit in decision.hits if hit.verdict == decision.verdict)
    if decision.rule == "hosted_write":
        return (once, GrantOffer(scope="session", covers="Every file change in this lane, until this chat is closed."))
    if liftable and "session" in tool.grants and facts.assessment.remember_key is not None and not hidden:
        return (once, GrantOffer(scope="session", covers=facts.assessment.covers))
    return (once,)


def _remember_key(facts: CallFacts, decision: Decision) -> str | None:
    return HOSTED_WRITES_KEY if decision.rule == "hosted_write" else facts.assessment.remember_key


def _risk_flags(tool: Tool[Any], facts: CallFacts) -> tuple[RiskFlag, ...]:
    flags: list[RiskFlag] = []
    if Category.EXTERNAL in (tool.category, facts.assessment.category):
        flags.append("leaves_computer")
    if any(path.verdict == "outside" for path in facts.paths):
        flags.append("outside_lane")
    if any(path.verdict == "protected" for path in facts.paths):
        flags.append("protected")
    return tuple(flags)


def _action_file(session: Session, path: PathFacts) -> ActionFile:
    """What is read is bound to where it really lies; a folder and what is changed also to the very object."""
    if path.op == "read":
        return ActionFile(path=path.rel, op=path.op)
    base = session.files.sha256(path) if session.files is not None and path.exists and path.kind == "file" else None
    return ActionFile(path=path.rel, op=path.op, base_sha256=base, dev=path.device, ino=path.inode)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
