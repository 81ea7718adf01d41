"""The effects of a command beyond reading, as far as its words tell: run code of the lane, change Git's own files."""

from collections.abc import Sequence
from functools import lru_cache

from desktop.policy.shell.deny.classes.leak import NETWORK
from desktop.policy.shell.words.rule_tokens import program_names

_RUNNERS = frozenset(
    {
        "make", "gmake", "just", "task", "rake", "gradle", "mvn", "ninja", "pytest", "tox", "nox", "npx", "bunx",
        "jest", "vitest", "mocha", "ava", "tsx", "ts-node", "bazel", "sbt", "meson", "ctest", "rspec", "phpunit",
        "playwright", "cypress", "pre-commit", "source", ".", "ant", "cmake", "sh", "bash", "zsh", "dash",
    }
)  # fmt: skip
_SCRIPT_HOSTS = frozenset({"python", "python3", "node", "ruby", "perl", "php", "deno", "lua", "Rscript"})
_SUB_COMMANDS: dict[str, frozenset[str]] = {
    "npm": frozenset({"run", "run-script", "test", "t", "start", "stop", "restart", "exec", "x", "ci", "install", "i"}),
    "cargo": frozenset({"test", "t", "run", "r", "build", "b", "check", "c", "bench", "clippy", "doc", "install"}),
    "go": frozenset({"test", "run", "generate", "build", "install", "vet"}),
    "uv": frozenset({"run", "sync", "build"}),
    "poetry": frozenset({"run", "install", "build"}),
    "dotnet": frozenset({"test", "run", "build"}),
    "mix": frozenset({"test", "run", "compile"}),
    "bundle": frozenset({"exec"}),
    "pip": frozenset({"install"}),
    "pip3": frozenset({"install"}),
    "docker": frozenset({"build", "compose"}),
    "git": frozenset({"commit", "bisect"}),
}
_ALWAYS_SCRIPTS = frozenset({"pnpm", "yarn", "bun"})
_QUESTIONS = frozenset({"--version", "-v", "-V", "--help", "-h"})

GIT_METADATA_WRITES = frozenset(
    {
        "add", "am", "apply", "bisect", "branch", "checkout", "cherry-pick", "clean", "clone", "commit", "config",
        "fetch", "filter-branch", "gc", "init", "maintenance", "merge", "mv", "notes", "pack-refs", "prune", "pull",
        "push", "rebase", "reflog", "remote", "repack", "replace", "reset", "restore", "revert", "rm",
        "sparse-checkout", "stash", "submodule", "switch", "symbolic-ref", "tag", "update-index", "update-ref",
        "worktree", "write-tree", "read-tree", "commit-tree", "hash-object", "fast-import", "lfs", "subtree", "stage",
    }
)  # fmt: skip
"""Sub-commands that need Git's own files to be writable, unless the call is a proven read."""
_WITHOUT_METADATA = frozenset({"apply", "clean", "clone", "init"})
_OTHER_CONFIG = ("--global", "--system", "--file", "-f", "--blob")
_CONFIG_READS = ("--get", "-l", "--list", "--show", "--name-only")
_CONFIG_CHANGES = frozenset(
    {
        "--unset",
        "--unset-all",
        "--add",
        "--replace-all",
        "-e",
        "--edit",
        "--remove-section",
        "--rename-section",
        "set",
        "unset",
        "edit",
        "remove-section",
        "rename-section",
    }
)


_GIT_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path"})
_GIT_UNNAMED = frozenset(
    {
        "am", "apply", "checkout", "checkout-index", "cherry-pick", "clean", "fast-import", "merge", "pull",
        "read-tree", "rebase", "reset", "restore", "revert", "stash", "submodule", "subtree", "switch",
    }
)  # fmt: skip
_UNPACKERS = frozenset({"patch", "unzip", "cpio", "tar", "bsdtar", "7z", "unrar", "unar", "ed", "ex", "rsync"})
_FETCHES = frozenset(
    {
        "install", "i", "add", "ci", "update", "upgrade", "up", "get", "download", "sync", "lock", "require", "publish",
        "push", "pull", "fetch", "clone", "ls-remote", "search", "view", "login", "dlx", "outdated", "audit", "create",
        "init", "tool", "upload", "send-email", "deploy", "global",
    }
)  # fmt: skip
_OVER_THE_NETWORK = frozenset(
    {
        "npm", "pnpm", "yarn", "bun", "pip", "pipx", "uv", "poetry", "pdm", "pipenv", "rye", "pixi", "conda", "mamba",
        "micromamba", "cargo", "go", "gem", "bundle", "composer", "apt", "apt-get", "brew", "dnf", "yum", "apk", "snap",
        "docker", "podman", "git", "twine", "helm", "dotnet", "deno", "nix", "flatpak",
    }
)  # fmt: skip
_ALWAYS_REMOTE = NETWORK | frozenset(
    {
        "npx",
        "bunx",
        "uvx",
        "pnpx",
        "gh",
        "glab",
        "aws",
        "gcloud",
        "az",
        "heroku",
        "flyctl",
        "kubectl",
        "vercel",
        "netlify",
    }
)
_FETCH_ALONE = frozenset({"yarn", "bundle"})


def writes_unnamed(argv: Sequence[str]) -> bool:
    """Whether it writes files that stand in a patch, an archive or a commit, and not in its words."""
    names, word = _call_of(argv)
    return not names.isdisjoint(_UNPACKERS) or ("git" in names and word in _GIT_UNNAMED)


def reaches_out(argv: Sequence[str]) -> bool:
    """Whether it is a program, or a sub-command of one, whose work is done over the network."""
    names, word = _call_of(argv)
    if "python" in names and argv[1:2] == ("-m",):
        return reaches_out(argv[2:])
    if not names.isdisjoint(_ALWAYS_REMOTE) or (not word and not names.isdisjoint(_FETCH_ALONE)):
        return not any(one in _QUESTIONS for one in argv[1:2])
    return word in _FETCHES and not names.isdisjoint(_OVER_THE_NETWORK)


def _call_of(argv: Sequence[str]) -> tuple[frozenset[str], str]:
    """The names of a program, with and without its version, and its first word that is no option."""
    rest = list(argv[1:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in _GIT_VALUES and rest:
            rest.pop(0)
    return frozenset(program_names(argv[0]) if argv else ()), rest[0] if rest else ""


def runs_lane_code(argv: Sequence[str]) -> bool:
    """Whether it runs code or scripts of the lane, which the agent can have changed."""
    name, rest = argv[0], argv[1:]
    if not _may_run_code(name):
        return False
    if "/" in name:
        return True
    if name in _RUNNERS or name in _ALWAYS_SCRIPTS:
        return not (rest and all(word in _QUESTIONS for word in rest))
    sub_commands = _SUB_COMMANDS.get(name)
    word = next((word for word in rest if not word.startswith("-")), None)
    return word in sub_commands if sub_commands is not None else word is not None or "-m" in rest


@lru_cache(maxsize=512)
def _may_run_code(name: str) -> bool:
    """Whether some call of a program runs code of the lane."""
    if "/" in name:
        return not name.startswith("/")
    known = name in _RUNNERS or name in _ALWAYS_SCRIPTS or name in _SUB_COMMANDS or name in _SCRIPT_HOSTS
    return known or name.startswith("python3.")


def writes_git(argv: Sequence[str]) -> bool:
    """Whether it is a Git call, not a proven read, that needs the repository's own files to be writable (gate-S25)."""
    if not argv[0].endswith("git") or argv[0].rpartition("/")[2] != "git":
        return False
    words = list(argv[1:])
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env") and words:
            words.pop(0)
    if words[:1] == ["config"]:
        return _changes_config(words[1:])
    return bool(words) and words[0] in GIT_METADATA_WRITES and words[0] not in _WITHOUT_METADATA


def _changes_config(words: Sequence[str]) -> bool:
    """Whether `git config` with these words changes the repository's own settings."""
    if any(word.startswith(_OTHER_CONFIG) for word in words):
        return False
    if not _CONFIG_CHANGES.isdisjoint(words):
        return True
    operands = [word for word in words if not word.startswith("-")]
    reads = any(word.startswith(_CONFIG_READS) for word in words) or operands[:1] in (["get"], ["list"])
    return not reads and len(operands) > 1
