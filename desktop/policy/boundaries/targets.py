"""The files that a person means: paths as they are written, and folders that are called by their name."""

import re
from collections.abc import Collection

MOST_GLOBS = 20
_PATH = re.compile(r"(?:\.{0,2}/)?[\w.@*-]+(?:/[\w.@*-]+)*/?")
_DETERMINERS = re.compile(
    r"^(?:(?:any|all|the|our|my|your|these|those|this|that|of|anything|everything|nothing|files?|code|stuff|else|"
    r"in|inside|under|below|within|from|existing|whole|entire|contents?|to|with)\s+)+"
)
_KINDS = re.compile(
    r"\s+(?:folders?|director(?:y|ies)|dirs?|files?|modules?|packages?|code|scripts?|at all|please)\b.*$"
)
_NAMED = re.compile(
    r"(?:any of )?(?:the|our|these|those|all|any) (?P<words>[a-z0-9]{3,30}(?: [a-z0-9]{3,30})?)(?: please)?$"
)
_NO_FILES = frozenset(
    {
        *("anything", "api", "apis", "behavior", "behaviour", "bit", "branch", "branches", "bug", "bugs", "cache"),
        *("class", "classes", "code", "colour", "color", "comment", "comments", "commit", "commits", "data", "default"),
        *("design", "existing", "feature", "features", "file", "files", "folder", "format", "formatting", "function"),
        *("functions", "history", "idea", "imports", "indentation", "interface", "internet", "issue", "issues"),
        *("keyboard", "layout", "line", "lines", "logic", "look", "main", "master", "meaning", "method", "methods"),
        *("mouse", "name", "names", "naming", "network", "old", "one", "ones", "order", "other", "others", "part"),
        *("parts", "people", "person", "place", "plan", "point", "process", "prod", "production", "question", "rest"),
        *("rule", "rules", "same", "scope", "semantics", "server", "servers", "signature", "signatures", "sources"),
        *("spacing", "staging", "standard", "state", "status", "stuff", "style", "subject", "system", "text", "thing"),
        *("things", "time", "title", "tone", "topic", "types", "user", "users", "variable", "version", "versions"),
        *("way", "whitespace", "whole", "wording", "words", "work", "workflow", "world", "wrong"),
    }
)
"""Words after "the" that say no file, whatever else they mean."""
_ALL = frozenset({"anything", "files", "any files", "code", "the code", "any code", "source files", "everything"})
_FOLDERS = {
    "migration": "migrations",
    "migrations": "migrations",
    "tests": "tests",
    "test": "tests",
    "docs": "docs",
    "documentation": "docs",
    "vendor": "vendor",
    "fixtures": "fixtures",
    "schemas": "schemas",
    "assets": "assets",
    "workflows": ".github/workflows",
    "ci": ".github/workflows",
}


def globs_of(target: str, names: Collection[str] = ()) -> tuple[str, ...]:
    """Patterns of the lane's files that these words mean; () when they mean none that can be told.

    `names`: paths of the lane's files; a folder or a file of that name is then known, whatever it is called.
    """
    text = target.replace("`", "").strip().strip("`'\"“”‘’.,:;!").strip()
    plain = text.casefold()
    if plain in _ALL:
        return ("**",)
    named = [word for word in re.split(r"[\s,]+", text) if _is_path(word)]
    if named:
        return tuple(glob for word in named for glob in _path_globs(word))[:MOST_GLOBS]
    is_kind = _KINDS.search(plain) is not None
    words = _KINDS.sub("", _DETERMINERS.sub("", plain)).strip()
    if not words or len(words.split()) > 3:
        return ()
    if words in _FOLDERS:
        return (f"**/{_FOLDERS[words]}/**",)
    spelled = dict.fromkeys(words.replace(" ", between) for between in ("_", "-", " ", ""))
    folders = {folder.casefold() for name in names for folder in name.split("/")[:-1]}
    stems = {name.rsplit("/", 1)[-1].split(".", 1)[0].casefold() for name in names}
    below = [f"**/{one}/**" for one in spelled] if is_kind or folders & spelled.keys() else []
    named_so = [f"**/{one}.*" for one in spelled if one in stems]
    return tuple(below + named_so)


def globs_of_words(target: str) -> tuple[str, ...]:
    """Patterns of files that are called by these words, where no file is called so yet: "the invoices". () for words
    that name no files at all: "the subject"."""
    found = _NAMED.match(target.casefold().replace("`", "").strip(" '\"“”‘’.,:;!"))
    if found is None or not _NO_FILES.isdisjoint(found["words"].split()):
        return ()
    words = found["words"].split()
    spelled = dict.fromkeys(between.join(words) for between in ("_", "-", ""))
    return (*(f"**/{one}/**" for one in spelled), *(f"**/{one}.*" for one in spelled))


def _is_path(word: str) -> bool:
    bare = word.strip("`'\"“”‘’,:;!()").rstrip(".")
    if _PATH.fullmatch(bare) is None or bare.strip("./") == "":
        return False
    stem, dot, ending = bare.rpartition(".")
    return "/" in bare or bool(dot and ending.isalnum() and len(ending) <= 8 and (stem or len(ending) > 1))


def _path_globs(word: str) -> tuple[str, ...]:
    path = word.strip("`'\"“”‘’,:;!()").rstrip(".").removeprefix("./").lstrip("/")
    last = path.rstrip("/").rsplit("/", 1)[-1]
    if path.endswith("/"):
        return (f"{path}**",)
    if "*" in path:
        return (path if "/" in path else f"**/{path}",)
    if "." in last[1:]:
        return (path if "/" in path else f"**/{path}",)
    return (f"{path}/**", path)
