"""What consent is about: the canonical action that a digest is made of, as the world is now (gate-G22)."""

import hashlib
import posixpath
from pathlib import Path
from typing import Any

from desktop.agent.core.session import Session
from desktop.agent.gate.git_consent import settings_now
from desktop.domain.core.permissions import Category
from desktop.domain.gate.action import Action, ActionFile, ActionMcp, ActionScript, ActionSql
from desktop.policy.gate import CallFacts
from desktop.policy.paths import PathFacts
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import head_commit
from desktop.tools.tool import Tool, ToolArgs

MAX_SCRIPT_BYTES = 5 * 1024 * 1024
MAX_SCRIPTS = 50
MAX_WORDS = 500
_RUN_BY = {
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun"), ("package.json",)),
    **dict.fromkeys(("make", "gmake"), ("GNUmakefile", "makefile", "Makefile")),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "rake": ("Rakefile",),
    "tox": ("tox.ini", "pyproject.toml"),
    "pytest": ("conftest.py", "pyproject.toml"),
}


def call_action(session: Session, tool: Tool[Any], args: ToolArgs, facts: CallFacts) -> Action:
    """The canonical action of a call. Two equal actions have the same effect."""
    lane = session.lane
    values = args.model_dump(mode="json")
    command = values.get("command") if tool.category is Category.BASH else None
    files = tuple(_action_file(session, path) for path in facts.paths)
    return Action(
        tool=tool.name,
        tool_sha256=tool.sha256,
        args=values,
        lane=lane.id if lane is not None else "",
        lane_root=(lane.device, lane.inode) if lane is not None else (0, 0),
        cwd=facts.paths[0].rel if command is not None and facts.paths else ".",
        head=head_commit(Path(lane.worktree_path)) if leaves_lane(tool) and lane is not None else None,
        command_sha256=_sha256(command) if isinstance(command, str) else None,
        files=tuple(sorted(files, key=lambda file: file.path)),
        scripts=(*_scripts(session.files, facts), *_git_settings(session, facts)),
        sql=_sql(facts, values),
        env_profile="read" if facts.assessment.proven_read else "lane",
        sandbox_profile=facts.profile,
        network=facts.hosts if facts.profile == "lane-hosts" else "open" if facts.network else "off",
        target=facts.target if facts.publishes else None,
        mcp=_mcp(facts),
    )


def _mcp(facts: CallFacts) -> ActionMcp | None:
    mcp = facts.mcp
    return None if mcp is None else ActionMcp(server=mcp.server, tool=mcp.tool, pin_sha256=mcp.bound)


def leaves_lane(tool: Tool[Any]) -> bool:
    """Whether the effect of a call depends on the lane's commit: commands, and what goes beyond this computer."""
    return tool.touches_lane and tool.category in (Category.BASH, Category.EXTERNAL)


def _action_file(session: Session, path: PathFacts) -> ActionFile:
    """What is read is bound to where it really lies; a folder and what is changed also to the very object."""
    if path.op == "read":
        return ActionFile(path=path.rel, op=path.op)
    base = session.files.sha256(path) if session.files is not None and path.exists and path.kind == "file" else None
    return ActionFile(path=path.rel, op=path.op, base_sha256=base, dev=path.device, ino=path.inode)


def _scripts(files: LaneFiles | None, facts: CallFacts) -> tuple[ActionScript, ...]:
    """The lane's own files that would run: if one changes, so does the effect. Words count from the lane's root and
    from the folder that the command runs in, and so do the files where programs look for what to run."""
    if files is None or facts.command is None or facts.command.proven_read:
        return ()
    words: dict[str, None] = {}
    for command in facts.command.simple:
        if not command.proven and command.argv:
            program = command.argv[0].rsplit("/", 1)[-1]
            words |= dict.fromkeys((*command.argv, *_RUN_BY.get(program, ())))
    cwd = facts.paths[0].rel if facts.paths else "."
    found: dict[str, str] = {}
    for word in [word for word in words if word and not word.startswith("-")][:MAX_WORDS]:
        for named in dict.fromkeys((word, posixpath.normpath(posixpath.join(cwd, word)))):
            path = files.resolve(named, "read")
            if path.verdict == "inside" and path.kind == "file" and path.rel not in found and len(found) < MAX_SCRIPTS:
                found[path.rel] = files.sha256(path) if path.size <= MAX_SCRIPT_BYTES else f"{path.inode}:{path.size}"
    return tuple(ActionScript(path=path, sha256=sha256) for path, sha256 in sorted(found.items()))


def _git_settings(session: Session, facts: CallFacts) -> tuple[ActionScript, ...]:
    """The settings of Git that a card shows: an answer to it is about exactly them."""
    now = settings_now(session, facts)
    return (ActionScript(path=".git settings", sha256=now),) if now else ()


def _sql(facts: CallFacts, values: dict[str, Any]) -> ActionSql | None:
    if facts.sql is None:
        return None
    verdict = facts.sql.verdict
    return ActionSql(
        connection=facts.sql.connection,
        target=facts.sql.target,
        dialect=verdict.dialect,
        text_sha256=_sha256(str(values.get("sql", ""))),
        mode="read" if verdict.proven_read else "write",
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
