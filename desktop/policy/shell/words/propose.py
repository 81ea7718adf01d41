"""The prefix of a command that a card proposes as a rule: the narrowest useful one (gate-R15)."""

import re
from collections.abc import Sequence

from desktop.policy.shell.words.rule_tokens import MAX_TOKENS, inner_tokens, program_names, token_problem


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HAVE_SUBCOMMANDS = _words(
    "git npm pnpm yarn bun pip uv poetry pdm hatch pipenv rye pixi bundle gem composer deno dotnet gh glab docker "
    "podman kubectl helm terraform cargo go make just task rake gradle mvn ninja ruff rails mix rebar3 swift flutter "
    "dart nx turbo lerna rush bazel buck2 tox nox pre-commit ansible alembic flask django-admin vite next nuxt astro "
    "ng vue playwright cypress eas expo hugo mkdocs stack cabal dune zig rustup python node ruby perl php java lua "
    "julia ts-node tsx"
)
_ONE_MORE: frozenset[tuple[str, ...]] = frozenset(
    {
        *((program, "run") for program in ("npm", "pnpm", "yarn", "bun", "deno", "go")),
        ("docker", "compose"),
        ("docker", "image"),
        ("docker", "container"),
        ("git", "stash"),
        ("git", "worktree"),
        ("git", "remote"),
        ("git", "submodule"),
        ("git", "bisect"),
        ("git", "push"),
        ("git", "fetch"),
        ("git", "pull"),
        ("git", "config"),
        ("uv", "pip"),
        ("gh", "pr"),
        ("gh", "issue"),
        ("gh", "run"),
        ("gh", "repo"),
        ("kubectl", "get"),
        ("kubectl", "describe"),
        ("kubectl", "rollout"),
        ("cargo", "run"),
        ("dotnet", "tool"),
        ("npm", "pkg"),
        ("uv", "tool"),
        ("pre-commit", "run"),
    }
)
_PLAIN_TOOLS = _words(
    "cat ls mkdir rmdir touch cp mv ln head tail tac wc sort uniq cut tr paste comm join fold diff cmp grep rg find fd "
    "tree file stat du df tar zip unzip gzip gunzip basename dirname realpath readlink date echo printf seq sleep tee "
    "jq yq xmllint shellcheck shfmt hadolint yamllint markdownlint prettier eslint stylelint biome tsc vue-tsc jest "
    "vitest mocha ava pytest mypy pyright ruff black isort flake8 pylint bandit tox nox gofmt goimports golangci-lint "
    "staticcheck rustfmt clang-format clang-tidy cmake ctest ninja gcc clang rspec rubocop phpunit phpstan phpcs "
    "ktlint swiftlint codespell cloc tokei patch rsync less man"
)
"""A card offers a rule of one word for these."""
_OPTION = re.compile(r"--?[A-Za-z][A-Za-z0-9-]*")
_SUBCOMMAND = re.compile(r"[A-Za-z0-9@.][A-Za-z0-9_.:@+/-]*")


def propose_tokens(argv: Sequence[str]) -> tuple[str, ...]:
    """The narrowest useful prefix of a command: the program and its sub-command words, up to the first option or
    operand. Empty when no prefix of it may be saved."""
    if not argv:
        return ()
    length = _proposed_length(argv)
    while length <= min(len(argv), MAX_TOKENS):
        tokens = tuple(argv[:length])
        problem = token_problem(tokens)
        lone = length == 1 and not problem and not _may_stand_alone(tokens[0])
        if not problem and not lone:
            return tokens
        if length >= len(argv) or not _may_follow(tokens, argv[length], lone=lone):
            return ()
        length += 1
    return ()


def _proposed_length(argv: Sequence[str]) -> int:
    inner = inner_tokens(argv)
    if inner and argv[1] == "-m":
        return 3
    if inner is not None:
        return len(argv) - len(inner) + _proposed_length(inner) if inner else len(argv)
    wanted = 2 if _HAVE_SUBCOMMANDS & frozenset(program_names(argv[0])) else 1
    length = 1
    while length < min(wanted, len(argv)) and _SUBCOMMAND.fullmatch(argv[length]):
        length += 1
        if any((name, *argv[1:length]) in _ONE_MORE for name in program_names(argv[0])):
            wanted += 1
    return length


def _may_follow(tokens: tuple[str, ...], word: str, *, lone: bool) -> bool:
    if lone and _OPTION.fullmatch(word):
        return True
    return bool(_SUBCOMMAND.fullmatch(word)) or (word == "-m" and "python" in program_names(tokens[0]))


def _may_stand_alone(word: str) -> bool:
    """Whether a rule of this one word is offered: for a file of the lane, and for the plain tools."""
    return "/" in word or not _PLAIN_TOOLS.isdisjoint(program_names(word))
