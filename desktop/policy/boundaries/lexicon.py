"""The words by which people say what an agent must not do, and the rules that each of them means."""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from desktop.domain.gate.rules import Rule

Decision = Literal["ask", "deny"]


class Verb(NamedTuple):
    """`action`: what the verb is about; `pattern`: how people say it."""

    action: str
    pattern: re.Pattern[str]


def _verb(action: str, words: str) -> Verb:
    return Verb(action, re.compile(rf"(?:{words})\b", re.IGNORECASE))


VERBS = (
    _verb("push", r"(?:git )?(?:force[- ]?)?push(?:ing)?(?! (?:back|hard|through))"),
    _verb("commit", r"(?:git )?commit(?:ting)?(?! to\b)"),
    _verb("commit", r"(?:mak|creat|do)(?:e|ing)? (?:a |any |new |more |further )*commits?"),
    _verb(
        "pull_request",
        r"(?:open|creat|mak|rais|fil|submit)(?:e|ing|ting)? (?:a |an |any |the |another )?(?:new )?"
        r"(?:prs?\b|pull[- ]requests?)",
    ),
    _verb(
        "comment",
        r"(?:comment|repl(?:y|ying)|respond|answer|post)(?:ing)? (?:\w+ )?(?:on|to|in|at) "
        r"(?:the |any |that |this )?(?:prs?\b|pull[- ]requests?|review|issue|github)",
    ),
    _verb(
        "install", r"(?:install|add|upgrad|updat|bump)(?:e|ing)?(?= .*\b(?:dep|depend|packag|librar|modul|anything))"
    ),
    _verb("install", r"install(?:ing)?"),
    _verb("delete", r"(?:delet|remov|eras)(?:e|ing)|rm\b"),
    _verb(
        "subagents", r"(?:start|spawn|use|using|launch|creat|delegate to)(?:e|ing)?(?= (?:any |a |the )?sub-?agents?)"
    ),
    _verb(
        "mcp",
        r"(?:us|call|access|invok|query|quer|talk(?:ing)? to|connect(?:ing)? to)(?:e|ing|y|ying)?"
        r"(?= (?:any |the |our |my |all |an )*(?:[\w.-]+ )?mcps?\b)",
    ),
    _verb(
        "offline", r"(?:us|access|go(?: on)?|connect to|reach)(?:e|ing)?(?= (?:the )?(?:internet|network|web|online))"
    ),
    _verb("run", r"(?:run|execut|start|launch)(?:n?ing|e)?"),
    _verb("read", r"(?:read|open|look (?:at|into|in|inside)|access|cat)(?:ing)?"),
    _verb(
        "write",
        r"(?:touch|chang|edit|modif(?:y|ying)|alter|rewrit|writ|updat|refactor|renam|mov|mess with|messing with|"
        r"go near|going near|overwrit|mak(?:e|ing) (?:any )?(?:changes|edits)(?= (?:to|in)\b))(?:e|ing|es)?"
        r"(?: to| in| into)?",
    ),
)
"""In order: the first that begins a phrase is meant."""

TITLES = {
    "push": "push",
    "commit": "commit",
    "pull_request": "open a pull request",
    "comment": "comment on GitHub",
    "install": "install anything",
    "delete": "delete anything",
    "database": "change the database",
    "offline": "use the network",
    "subagents": "start sub-agents",
}
_TOOLS = {
    "push": ("push_lane", "create_pr_from_lane"),
    "commit": ("commit_changes", "rebase_lane"),
    "pull_request": ("create_pr_from_lane",),
    "comment": ("pr_reply_to_review_thread", "pr_resolve_review_thread"),
    "delete": ("delete_file",),
    "subagents": ("task",),
}
_COMMANDS = {
    "push": ("git push", "git subtree push", "git lfs push", "git send-pack"),
    "commit": (
        *("git commit", "git merge", "git cherry-pick", "git am", "git rebase", "git revert", "git commit-tree"),
        *("git fast-import", "git subtree", "git filter-branch"),
    ),
    "pull_request": ("gh pr create",),
    "comment": ("gh pr comment", "gh pr review", "gh issue comment"),
    "delete": (
        "rm",
        "rmdir",
        "unlink",
        "shred",
        "git rm",
        "git clean",
        "find -delete",
        "rsync --delete",
        "trash",
        "gio trash",
    ),
    "install": (
        *("npm install", "npm i", "npm add", "npm ci", "npm update", "pnpm add", "pnpm install", "pnpm i", "yarn add"),
        *("yarn install", "bun add", "bun install", "pip install", "pip3 install", "python -m pip install"),
        *("python3 -m pip install", "uv add", "uv pip install", "poetry add", "poetry install", "conda install"),
        *("cargo add", "cargo install", "go get", "go install", "gem install", "bundle add", "bundle install"),
        *(
            "composer require",
            "apt install",
            "apt-get install",
            "brew install",
            "dnf install",
            "yum install",
            "apk add",
        ),
        *("pacman -S", "snap install", "pipx install", "uv sync", "uv tool install", "uv pip sync", "poetry update"),
        *("yarn global add", "pnpm update", "bundle update", "mamba install", "composer install", "pdm add"),
        *("dotnet add", "deno add", "deno install"),
    ),
}
_ALONE = {"install": ("yarn", "bundle")}
"""What these programs do without a further word."""
_COULD = {
    "commit": ("git pull",),
    "install": (
        *("npx", "bunx", "uvx", "pnpx", "pnpm dlx", "yarn dlx", "bun x", "npm exec", "npm x", "pipx run"),
        *("uv run", "uv tool run", "go run", "deno run", "npm init", "npm create", "yarn create", "pnpm create"),
    ),
}
"""What may do it, by what else is said: asked about."""
_LOCK_FILES = (
    *("package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "poetry.lock", "uv.lock", "Cargo.lock"),
    *("go.sum", "Gemfile.lock", "composer.lock"),
)
TEST_RUNNERS = (
    *("pytest", "python -m pytest", "python3 -m pytest", "npm test", "npm run test", "pnpm test", "yarn test", "tox"),
    *("go test", "cargo test", "make test", "jest", "npx jest", "vitest", "npx vitest", "python -m unittest"),
    *("npm t", "pnpm run test", "yarn run test", "bun test", "bun run test", "py.test", "nox", "rspec", "phpunit"),
    *("ctest", "mvn test", "gradle test", "gradlew test", "dotnet test", "mix test", "cargo nextest", "deno test"),
)
_SQL_WRITES = (
    *("INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "GRANT"),
    *("REVOKE", "COPY", "CALL", "DO"),
)


def rules_for(action: str, decision: Decision) -> tuple[Rule, ...]:
    """The rules of an action that has no target of its own."""
    rules = [Rule(id="", decision=decision, kind="tool", name=name) for name in _TOOLS.get(action, ())]
    rules += command_rules(_COMMANDS.get(action, ()), decision)
    rules += [rule.model_copy(update={"alone": True}) for rule in command_rules(_ALONE.get(action, ()), decision)]
    rules += command_rules(_COULD.get(action, ()), "ask")
    if action == "install":
        rules += path_rules((f"**/{name}" for name in _LOCK_FILES), decision, writes=True)
    if action == "offline":
        rules.append(Rule(id="", decision=decision, kind="network", host="*"))
    if action == "database":
        rules.append(Rule(id="", decision=decision, kind="sql", connection="*", statements=_SQL_WRITES))
    return tuple(rules)


def mcp_rule(server: str, decision: Decision) -> Rule:
    """A rule for all tools of an MCP server, "*" for those of any."""
    return Rule(id="", decision=decision, kind="mcp", server=server, tool="*")


def command_rules(commands: Iterable[str], decision: Decision) -> list[Rule]:
    """A rule for each command, by its words."""
    return [Rule(id="", decision=decision, kind="command", tokens=tuple(one.split())) for one in commands]


def path_rules(globs: Iterable[str], decision: Decision, *, writes: bool, outside: bool = False) -> list[Rule]:
    """A rule for each pattern: about writing, or about reading."""
    return [
        Rule(id="", decision=decision, kind="path", glob=glob, ops=("write",) if writes else ("read",), outside=outside)
        for glob in globs
    ]
