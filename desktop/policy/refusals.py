"""The words for the agent when a call does not run (tools 4.1, gate 22). Texts hold no rule lists and no secrets."""

import unicodedata
from collections.abc import Mapping, Sequence

from desktop.domain.core.permissions import Decision, PermissionMode
from desktop.policy.edit_distance import edit_distance
from desktop.policy.paths import SYSTEM_REASON, PathFacts

NO_PERSON = "This call needs a person's approval and nobody can answer here."
DIGEST = "The action changed after it was approved, so it was not run."
STOPPED_BEFORE = "Not run: the turn was stopped first."
TAKEN_BACK = "Not run: the agent withdrew its request."
STOPPED_WHILE = "Interrupted before it finished. It may have had effects; check before you repeat it."
STOPPED_UNANSWERED = "The turn ended before the user answered."
LANE_MOVED = "Not run: the lane folder is not the one this chat was opened on."
MEMORY_GUARD = "Search memory first with memory_search, then repeat this call."
PRIMARY_LANE = "The user's own checkout is read-only for agents."

MAX_PATH_CHARS = 300
MAX_TYPO_LETTERS = 3

MISSING_TOLD: Mapping[str, tuple[str, str]] = {
    "WorkingLane": ("this chat has no lane", "A person can start a chat in a lane"),
    "Shell": ("no bash was found on this computer", "A person can install bash"),
    "BackgroundShells": ("this chat has no background command", "Start one with a background call first"),
    "Person": ("nobody can answer here", "A person can open this chat in a window"),
    "ChatProofs": ("pictures and proofs are switched off", "A person can switch them on in Settings"),
    "GitHubPulls": ("nobody is signed in to GitHub here", "A person can connect it in Settings › GitHub"),
    "OpenPull": ("this lane has no open pull request", "A person can open or link one"),
    "ChatMemory": ("memory is switched off", "A person can switch it on in Settings"),
    "LoadSkill": ("there is no skill here", "A person can install one in Settings › Skills"),
    "ChatBoundaries": ("nothing can be proposed in this chat", "A person can make a rule in Settings"),
    "ChatCredentials": ("no secrets can be used in this chat", "A person can start a chat in a lane"),
    "Children": ("sub-agents cannot be begun here", "Only a person's chat can"),
    "OwnChildren": ("this chat has no sub-agents", "Begin one with task first"),
    "ChatWeb": ("the web is switched off", "A person can switch it on in Settings › Web"),
    "ChatSearch": ("no search of the web is set up", "A person can set one up in Settings › Web"),
    "ServerToolSearch": ("there are few tools of servers, and you are told of all", "Call one of them"),
    "Databases": ("no database is set up for this project", "A person can add one in Settings › Databases"),
}
"""By the name of what a tool needs."""


_IN_MODE_TOLD: Mapping[PermissionMode, str] = {
    PermissionMode.PLAN: "{tool} is not available in plan mode.",
    PermissionMode.EDIT: "{tool} is not available in edit mode.",
    PermissionMode.FULL_AUTO: "{tool} is not available in full-auto mode.",
}


def unknown_tool(name: str, offered: Sequence[str]) -> str:
    """The refusal of a tool that is not offered; the closest offered name is told when it is at most three letters
    away."""
    names = sorted(offered)
    text = f'There is no tool "{_shown(name)}". Offered tools: {", ".join(names) or "none"}.'
    distances = [(edit_distance(name, other, limit=MAX_TYPO_LETTERS), other) for other in names]
    distance, closest = min(distances, default=(MAX_TYPO_LETTERS + 1, ""))
    return f"{text} Did you mean {closest}?" if distance <= MAX_TYPO_LETTERS else text


def not_offered(tool: str, mode: PermissionMode, missing: Sequence[str] = ()) -> str:
    """The tool exists but not here: the first of `missing` is not there, else the mode has no place for it."""
    if missing:
        what, remedy = MISSING_TOLD.get(missing[0], (f"{missing[0]} is missing", "A person can change this"))
        return f"{tool} is not available: {what}. {remedy}."
    text = _IN_MODE_TOLD[mode].format(tool=tool)
    return f"{text} Present the plan with exit_plan_mode." if mode is PermissionMode.PLAN else text


def not_on_surface(tool: str) -> str:
    """The tool belongs to other chats than this one."""
    return f"{tool} is not available in this chat."


def not_of_agent(tool: str, agent: str) -> str:
    """The file of a sub-agent does not leave this tool to it."""
    return f"{tool} is not available to the agent {_shown(agent)}."


def holds_marks(tool: str, marks: Sequence[str]) -> str:
    """The text to write holds the mark of a secret that was taken out of what the agent was shown."""
    return (
        f"Invalid arguments for {tool}: {marks[0]} stands for a secret that you were not shown. Written out it would "
        "destroy the secret. Change only other lines, with edit_file."
    )


def not_kept(reason: str) -> str:
    """The files could not be kept before a change, and the person's settings ask for that."""
    return (
        f"Not run: no complete checkpoint of the lane's files could be made first ({reason.rstrip('.')}), and the "
        "settings require one before changes. A person can change this in Settings."
    )


def declined(reason: str = "", *, stopped: bool = False) -> str:
    """A person said no, with their words when they gave any."""
    text = "The person declined this call."
    if stopped:
        text += " The turn was stopped."
    return f"{text} Reason: {reason.strip()}" if reason.strip() else text


def withdrawn(mode: PermissionMode) -> str:
    """The request was closed because the mode changed."""
    return f"Not run: the mode changed to {mode.value}."


def path_outside(path: str, lane: str) -> str:
    """The path leads out of the lane."""
    return (
        f"{_shown(path)} is outside this lane ({lane}). Work inside the lane; a person can add a reference folder for "
        "reading."
    )


def path_sealed(path: str, why: str) -> str:
    """The path is closed for agents for good."""
    return f"{_shown(path)} is protected: {why}. No mode or rule can allow it."


def path_invalid(path: str, why: str) -> str:
    """The path cannot be used at all."""
    return f"{_shown(path)} is not a usable path: {why}."


def gate_error(code: str) -> str:
    """The gate itself failed, so nothing runs."""
    return f"Not run: internal error {code}. The person has been told."


def hook_refusal(reason: str) -> str:
    """A hook denied the call, or failed before it; a broken hook closes (guests-H3)."""
    return f"Refused: {reason[0].lower()}{reason[1:]}"


def refusal_text(decision: Decision, *, tool: str, mode: PermissionMode, lane: str, paths: Sequence[PathFacts]) -> str:
    """The text for a call that the gate denied, chosen by the deciding rule. `lane` is the lane's name."""
    rule = decision.rule
    if rule in {"path", "file_kind"}:
        return _path_refusal(decision, lane, paths)
    if rule == "mode" and mode is PermissionMode.PLAN:
        return f"Not run: {decision.reason} Present the plan with exit_plan_mode."
    if rule == "deny":
        return f"Refused by a built-in protection: {decision.reason} No mode or rule can allow it."
    if rule in {"rule", "mcp_pin"}:
        return decision.reason
    fixed = {
        "memory_guard": MEMORY_GUARD,
        "lane_moved": LANE_MOVED,
        "primary_lane": PRIMARY_LANE,
        "gate_error": gate_error(rule),
    }
    return fixed.get(rule) or f"Not run: {decision.reason}"


def _path_refusal(decision: Decision, lane: str, paths: Sequence[PathFacts]) -> str:
    ranked = sorted((facts for facts in paths if facts.deny), key=_rank)
    if not ranked:
        return f"Not run: {decision.reason}"
    facts = ranked[0]
    if facts.class_ == "own" or facts.verdict == "protected" or facts.reason == SYSTEM_REASON:
        return path_sealed(facts.raw, facts.reason)
    if facts.verdict == "outside":
        return path_outside(facts.raw, lane)
    return path_invalid(facts.raw, facts.reason)


def _rank(facts: PathFacts) -> int:
    """The order of the rows of the decision table: unusable, outside, protected, wrong kind."""
    if facts.verdict == "invalid":
        return 3 if facts.exists else 0
    return {"outside": 1, "protected": 2}.get(facts.verdict, 3)


def _shown(text: str) -> str:
    """Foreign text with everything invisible written out, cut to a readable length."""
    cut = text if len(text) <= MAX_PATH_CHARS else f"{text[:MAX_PATH_CHARS]}…"
    return "".join(c if unicodedata.category(c)[0] not in "CZ" or c == " " else _escape(c) for c in cut) or '""'


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"
