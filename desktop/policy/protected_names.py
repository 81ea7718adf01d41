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

_GUARDED_FOLDERS = {".husky", ".githooks", ".claude", ".cursor", ".codex", ".idea"}
_GUARDED_FILES = {".gitmodules", ".gitattributes", ".pre-commit-config.yaml", ".mcp.json", ".envrc"}
_GUARDED_PAIRS = {(".vscode", f"{name}.json") for name in ("settings", "tasks", "launch")}
_SECRET_FOLDERS = {".ssh", ".aws", ".gnupg"}
_SECRET_PAIRS = {(".kube", "config"), (".docker", "config.json")}
_FOLDERS_OF_PAIRS = frozenset(folder for folder, _ in _GUARDED_PAIRS | _SECRET_PAIRS)
_SECRET_FILES = {
    ".env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf",
    ".git-credentials", "credentials.json",
}  # fmt: skip
_SECRET_PATTERNS = (
    "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "service-account*.json",
    *(f"{stem}.{ending}" for stem in ("secret", "secrets") for ending in ("json", "yml", "yaml", "toml")),
)  # fmt: skip
SECRET_NAME_PATTERNS = (*sorted(_SECRET_FILES), ".env.*", *_SECRET_PATTERNS)
"""Every file name of the secret class fits one of these; some names that fit, such as `.env.sample`, are not secret."""
SECRET_FOLDER_NAMES = tuple(sorted(_SECRET_FOLDERS))
SECRET_NAME_PAIRS = tuple(sorted(_SECRET_PAIRS))
"""Folder and file name that are secret only together."""
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
    if name in _GUARDED_FOLDERS or (is_last and _is_guarded_file(parent, name)):
        found.add("guarded")
    if name in _SECRET_FOLDERS or (is_last and _is_secret_file(parent, name)):
        found.add("secret")
    return found


def _is_guarded_file(parent: str, name: str) -> bool:
    return name in _GUARDED_FILES or name.startswith(".yarnrc") or (parent, name) in _GUARDED_PAIRS


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
    """What a class does to an op: "" allows, "ask", "deny"."""
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
