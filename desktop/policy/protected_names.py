"""Names that agents may not touch freely, and how names are compared so that no spelling slips past (gate-P7)."""

import re
import unicodedata
from fnmatch import fnmatchcase
from functools import lru_cache

from desktop.policy.path_words import PathClass, PathOp

_BLANKS_AND_DOTS = " .\t"
_SHORT_GIT_NAME = re.compile(r"git~\d+")
_IGNORABLE = {"\u034f", "\u180e", *map(chr, range(0xFE00, 0xFE10))}
_SEPARATORS = re.compile(r"[/\\]")

# Guarded is what a program outside the sandbox obeys by itself in ordinary use, without being told to run it: an editor
# that opens the folder, a shell that enters it, git that commits, a program of every day that is started in it.
#
# Commits run them: .husky .githooks .git-hooks lefthook lint-staged pre-commit overcommit; .gitattributes .gitmodules
#   .lfsconfig say what git runs and where it goes.
# Editors obey them: .vscode .idea .zed .helix .devcontainer (its initializeCommand runs on the machine itself)
#   *.code-workspace, start files of Vim and Emacs, .ycm_extra_conf.py, .externalToolBuilders (Eclipse builds at once).
# Other agents obey them, with programs among what they say: .claude .cursor .codex .agents .gemini .windsurf .roo
#   .continue .opencode .amazonq .kiro .qwen .vibe .mcp.json .aider.conf.yml opencode.json.
# Shells obey them on entering: .envrc .autoenv .rvmrc mise. A .tool-versions may name a folder of programs (path:…).
# Each start of a tool obeys them: rust-toolchain (path = …), .cargo/config (wrappers, linkers; an editor starts cargo),
#   .yarnrc* and what it names in .yarn, .pnpmfile.cjs, .gdbinit .lldbinit.
#
# Not guarded, on purpose: what a project is made of and agents rightly change, which runs when somebody builds or tests
# (Makefile package.json pyproject.toml conftest.py sitecustomize.py build.gradle pom.xml, settings of linters); what
# only names a version that is installed (.python-version .ruby-version .node-version .nvmrc); .editorconfig and
# .gitignore, which run nothing. .npmrc is asked about as a secret. What continuous integration runs, and instructions
# that chats load, are told instead (`told_reason`).
_GUARDED_FOLDERS = {
    ".husky",
    ".githooks",
    ".git-hooks",
    ".lefthook",
    ".lefthook-local",
    ".idea",
    ".zed",
    ".helix",
    ".devcontainer",
    ".externaltoolbuilders",
    ".claude",
    ".cursor",
    ".codex",
    ".agents",
    ".gemini",
    ".windsurf",
    ".roo",
    ".continue",
    ".opencode",
    ".amazonq",
    ".kiro",
    ".qwen",
    ".vibe",
    ".mise",
}
_GUARDED_INNER_FOLDERS = {(".yarn", "releases"), (".yarn", "plugins"), (".yarn", "sdks"), (".config", "mise")}
_GUARDED_FILES = {
    ".gitmodules", ".gitattributes", ".lfsconfig", ".pre-commit-config.yaml", ".overcommit.yml", ".mcp.json", ".envrc",
    ".autoenv", ".autoenv.zsh", ".rvmrc", ".tool-versions", ".rtx.toml", ".devcontainer.json", ".exrc", "_exrc",
    ".vimrc", "_vimrc", ".gvimrc", "_gvimrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".local.vimrc", ".dir-locals.el",
    ".dir-locals-2.el", ".ycm_extra_conf.py", ".pnpmfile.cjs", ".pnpmfile.mjs", ".aider.conf.yml", "opencode.json",
    "opencode.jsonc", "rust-toolchain", "rust-toolchain.toml", ".gdbinit", ".lldbinit",
}  # fmt: skip
_GUARDED_PAIRS = {
    *((".vscode", f"{name}.json") for name in ("settings", "tasks", "launch", "mcp")),
    (".cargo", "config"),
    (".cargo", "config.toml"),
    (".config", "mise.toml"),
    (".config", "lefthook.yml"),
}
_GUARDED_PATTERNS = (
    ".yarnrc*",
    ".lintstagedrc*",
    "lint-staged.config.*",
    ".huskyrc*",
    "*.code-workspace",
    *(f"{dot}lefthook*.{ending}" for dot in ("", ".") for ending in ("yml", "yaml", "toml", "json", "jsonc")),
    *(f"{dot}mise{own}.toml" for dot in ("", ".") for own in ("", ".*")),
)
_WITHOUT_A_DOT = (
    "lefthook",
    "lint-staged.",
    "mise.",
    "rust-toolchain",
    "opencode.json",
    "agents.md",
    "claude.md",
    "gemini.md",
    "jenkinsfile",
    "azure-pipelines.",
    "bitbucket-pipelines.",
)
_INSTRUCTIONS = {"agents.md", "claude.md", "gemini.md"}
_CI_FOLDERS = {(".github", "workflows"), (".github", "actions")}
_CI_FILES = {
    ".gitlab-ci.yml",
    ".travis.yml",
    ".drone.yml",
    ".woodpecker.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "jenkinsfile",
}
_CI_TOPS = {".circleci", ".buildkite", ".woodpecker"}
TOLD_REASONS = {
    "instructions": "later chats and other agents read it as instructions",
    "ci": "continuous integration runs it once it is pushed",
}
_SECRET_FOLDERS = {".ssh", ".aws", ".gnupg"}
_SECRET_PAIRS = {(".kube", "config"), (".docker", "config.json")}
_FOLDERS_OF_PAIRS = frozenset(folder for folder, _ in _GUARDED_PAIRS | _GUARDED_INNER_FOLDERS | _SECRET_PAIRS)
_SECRET_FILES = {
    ".env",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    "credentials.json",
}
_SECRET_PATTERNS = (
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "service-account*.json",
    *(f"{stem}.{ending}" for stem in ("secret", "secrets") for ending in ("json", "yml", "yaml", "toml")),
)
SECRET_NAME_PATTERNS = (*sorted(_SECRET_FILES), ".env.*", *_SECRET_PATTERNS)
"""Every file name of the secret class fits one of these; some names that fit, such as `.env.sample`, are not secret."""
SECRET_FOLDER_NAMES = tuple(sorted(_SECRET_FOLDERS))
SECRET_NAME_PAIRS = tuple(sorted(_SECRET_PAIRS))
"""Folder and file name that are secret only together."""
PERHAPS_SECRET = re.compile(
    r"[^\x20-\x7e]|env|key|pem|p12|pfx|jks|kdbx|id_|netrc|npmrc|pypirc|pgpass|my\.cnf|credential|secret|service-account"
    r"|\.ssh|\.aws|gnupg|config",
    re.IGNORECASE,
)
"""What every name of the secret class holds; names without it need no closer look."""
_ENV_SAMPLES = (".example", ".sample", ".template", ".dist")
_GIT_CREDENTIALS = re.compile(r"config|config\.worktree|\.?(git-)?credentials?(\..*)?")


def is_invisible(char: str) -> bool:
    """Whether a file system may ignore this character when it compares names."""
    return unicodedata.category(char) == "Cf" or char in _IGNORABLE


@lru_cache(maxsize=4096)
def comparable(name: str) -> str:
    """The form in which names are compared: equal for every spelling that some file system takes for the same name."""
    visible = "".join(c for c in name if not is_invisible(c))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())
    if folded.strip(_BLANKS_AND_DOTS):
        head = folded.rstrip(_BLANKS_AND_DOTS)
        stream = head.find(":", 1)
        folded = head if stream < 0 else head[:stream].rstrip(_BLANKS_AND_DOTS)
    return ".git" if _SHORT_GIT_NAME.fullmatch(folded) else folded


def comparable_parts(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The comparable form of a path. A separator that hides inside one name splits it here."""
    return tuple(piece for part in parts for piece in _SEPARATORS.split(comparable(part)) if piece)


@lru_cache(maxsize=4096)
def name_classes(parts: tuple[str, ...]) -> frozenset[PathClass]:
    """The protected classes of a path below a root, judged by its names alone; nothing need exist."""
    names = comparable_parts(parts)
    found: set[PathClass] = set()
    for index, name in enumerate(names):
        is_last = index == len(names) - 1
        found |= _classes_of(names[index - 1] if index else "", comparable(name), is_last=is_last)
    return frozenset(found)


def is_protected_component(parent: str, name: str) -> bool:
    """Whether `name`, standing in the folder `parent`, is itself a protected name."""
    return bool(_classes_of(comparable(parent), comparable(name), is_last=True))


@lru_cache(maxsize=4096)
def may_hold_protected_file(rel: str) -> bool:
    """Whether a path is a folder in which single file names are protected, as `.vscode`: what is put there may get one
    of these names, which the folder alone does not tell."""
    return comparable(rel.rpartition("/")[2]) in _FOLDERS_OF_PAIRS


def _classes_of(parent: str, name: str, *, is_last: bool) -> set[PathClass]:
    found: set[PathClass] = set()
    if name == ".git":
        found.add("git")
    if name == ".banksman":
        found.add("own")
    is_folder = name in _GUARDED_FOLDERS or (parent, name) in _GUARDED_INNER_FOLDERS
    if is_folder or (is_last and _is_guarded_file(parent, name)):
        found.add("guarded")
    if name in _SECRET_FOLDERS or (is_last and _is_secret_file(parent, name)):
        found.add("secret")
    return found


def _is_guarded_file(parent: str, name: str) -> bool:
    if name in _GUARDED_FILES or (parent, name) in _GUARDED_PAIRS:
        return True
    return any(fnmatchcase(name, pattern) for pattern in _GUARDED_PATTERNS)


@lru_cache(maxsize=4096)
def told_reason(parts: tuple[str, ...]) -> str:
    """Why a person should hear that an agent changed this file of a lane, a key of `TOLD_REASONS`; "": nothing special.

    Agents rightly change these, so they are not asked about; but an order in them outlives the chat.
    """
    names = tuple(comparable(name) for name in comparable_parts(parts))
    if names and names[-1] in _INSTRUCTIONS:
        return "instructions"
    of_ci = bool(names) and (names[-1] in _CI_FILES or names[0] in _CI_TOPS or names[:2] in _CI_FOLDERS)
    return "ci" if of_ci else ""


def may_be_named(parent: str, name: str) -> bool:
    """A quick look that spares the exact ones for nearly all entries of a lane: False only where `name`, standing in
    the folder `parent`, is neither guarded, nor Git's, nor the product's, nor told. Nearly every such name begins with
    a dot or stands in a folder that does; Git's short one and odd spellings do not."""
    if not name.isascii() or name[0] in ".gG_ \t" or parent[:1] == ".":
        return True
    folded = name.casefold()
    return folded.startswith(_WITHOUT_A_DOT) or ".code-workspace" in folded


def _is_secret_file(parent: str, name: str) -> bool:
    if name.startswith(".env."):
        return not name.endswith(_ENV_SAMPLES)
    if name in _SECRET_FILES or (parent, name) in _SECRET_PAIRS:
        return True
    return any(fnmatchcase(name, pattern) for pattern in _SECRET_PATTERNS)


@lru_cache(maxsize=4096)
def holds_git_secrets(parts: tuple[str, ...]) -> bool:
    """Whether a path among Git's own files is one whose content may name programs or hold credentials."""
    names = comparable_parts(parts)
    return bool(names) and _GIT_CREDENTIALS.fullmatch(names[-1]) is not None


def class_effect(class_: PathClass, op: PathOp, *, git_secrets: bool = False) -> str:
    """The effect of a class of names on an op: "" allows, "ask", "deny"."""
    reading = op in {"read", "list"}
    if class_ == "git":
        return ("ask" if git_secrets else "") if reading else "deny"
    if class_ == "own":
        return "" if reading else "deny"
    if class_ == "guarded":
        return "" if reading else "ask"
    return "ask"


CLASS_REASONS: dict[PathClass, str] = {
    "git": "it belongs to Git's own files",
    "own": "it belongs to Banksman",
    "guarded": "other programs run or trust this file on sight",
    "secret": "a file of this name usually holds secrets",
}
