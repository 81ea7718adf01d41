"""The parts of a command that deserve a second look: bytes that are run, options with power, commands behind a
comment."""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from desktop.domain.display.text import display_text
from desktop.policy.display_options import powerful_options
from desktop.policy.shell.words.dangerous_options import (
    bare_cluster_option,
    behind_dashes,
    dangerous_option,
    option_rows,
)
from desktop.policy.shell.words.grammar import parse, too_costly
from desktop.policy.shell.words.rule_tokens import inner_tokens, program_names

PIPED = "Bytes reach an interpreter: {}."
AFTER_COMMENT = "A command follows a comment."
OPTION = "The option {} of {} can make it run or change something else."
_SHELLS = frozenset(
    ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "pwsh", "powershell", "xonsh", "nu"]
)
_LANGUAGES = frozenset(
    [
        "python",
        "pypy",
        "node",
        "deno",
        "bun",
        "ruby",
        "perl",
        "php",
        "lua",
        "luajit",
        "rscript",
        "tclsh",
        "wish",
        "julia",
        "groovy",
        "osascript",
        "ts-node",
        "tsx",
        "guile",
        "racket",
        "swipl",
        "ocaml",
        "erl",
        "elixir",
        "ghci",
        "irb",
    ]
)
_EVALUATORS = frozenset({"eval", "source", "."})
_WRAPPERS = frozenset(
    ["sudo", "doas", "su", "env", "command", "builtin", "exec", "nohup", "timeout", "gtimeout", "nice", "ionice",
     "chrt", "time", "watch", "stdbuf", "unbuffer", "setsid", "xargs", "parallel", "busybox", "toybox", "ssh",
     "strace", "ltrace", "chroot", "runuser", "pkexec", "rlwrap", "proxychains", "flock", "script"]
)  # fmt: skip
_DEEPEST = 4
_CODE_OPTION = re.compile(r"-[A-Za-z]*[ceErRp]$|--(?:eval|print|command|execute|run)\b")
_STDIN_NAMES = frozenset({"-", "/dev/stdin", "/proc/self/fd/0", "/dev/fd/0"})
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_QUOTES = re.compile(r"""\\\n|\\(.)|['"]""", re.DOTALL)
_ROUGH_PIPE = re.compile(
    r"\|&?\s*(?:(?:sudo|env|xargs|command|exec|nohup)\s+(?:-\S+\s+)*)*(?:\S*/)?"
    r"(?:ba|da|z|k|fi|c|tc)?sh\b|\|&?\s*(?:\S*/)?(?:python|perl|ruby|node|php)[\d.]*\s*(?:-\s*)?(?:$|[;&|)\n])"
    r"|\b(?:eval|source)\s+[^\n]*(?:\$\(|`|<\()|\b(?:ba|da|z|k)?sh\s+[^\n]*(?:\$\(|`|<\()",
    re.MULTILINE,
)
_ROUGH_COMMENT = re.compile(r"(?:^|[\s;&|])#[^\n]*\n\s*[^\s#]")


def command_sentences(command: str, *, depth: int = 0) -> tuple[str, ...]:
    """A sentence for each of these in a command: bytes that reach an interpreter through a pipe or a substitution, a
    dangerous option of the table of allow rules, a command behind a comment. What is given to a shell with `-c` is
    read as well, to a depth of four. Never raises."""
    if too_costly(command) or (tree := parse(command)) is None:
        return tuple(_rough(command))
    root = tree.root_node
    found = list(_structure(root, depth))
    if root.has_error:
        found += _rough(command)
    return tuple(dict.fromkeys(found))


def is_readable(command: str) -> bool:
    """Whether the text is a script without faults of syntax."""
    return not too_costly(command) and (tree := parse(command)) is not None and not tree.root_node.has_error


def _rough(command: str) -> Iterator[str]:
    """The same, for text that is no script or too long to be read as one."""
    if match := _ROUGH_PIPE.search(command):
        yield PIPED.format(_short(match[0]))
    if _ROUGH_COMMENT.search(command):
        yield AFTER_COMMENT


def _structure(root: Node, depth: int) -> Iterator[str]:
    comment_end = -1
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.children)
        if node.type == "comment" and comment_end < 0:
            comment_end = node.end_byte
        elif node.type == "command":
            if 0 <= comment_end <= node.start_byte:
                yield AFTER_COMMENT
            yield from _about_command(node, depth)
        elif node.type == "pipeline":
            yield from _about_pipeline(node)
        if node.type in ("redirected_statement", "command"):
            yield from _about_redirects(node)


def _about_command(node: Node, depth: int) -> Iterator[str]:
    words = _words(node)
    argv = [text for text, _word in words]
    inner = _unwrapped(argv)
    yield from _options(argv[inner:])
    for place in range(inner):
        yield from _wrapper_options(argv[place : inner + 1])
    if inner < len(argv) and (_feeds(words[inner:]) or _is_filled(argv[:inner], argv[inner:])):
        yield PIPED.format(_short(_text(node)))
    if depth < _DEEPEST and (code := _shell_code(argv[inner:])):
        yield from command_sentences(code, depth=depth + 1)


def _wrapper_options(argv: Sequence[str]) -> Iterator[str]:
    """Of `env -S` and `ssh -o ProxyCommand=…`, which stand before the program of a line."""
    if _WRAPPERS & set(program_names(argv[0])):
        for hit in powerful_options(argv):
            yield OPTION.format(display_text(hit), display_text(argv[0]))


def _is_filled(wrappers: Sequence[str], argv: Sequence[str]) -> bool:
    """Whether `xargs` or `parallel` puts what it reads where an interpreter looks for code."""
    if not any({"xargs", "parallel"} & set(program_names(word)) for word in wrappers):
        return False
    if not (_SHELLS | _LANGUAGES | _EVALUATORS) & set(program_names(argv[0])):
        return False
    for at, word in enumerate(argv[1:], 1):
        if _CODE_OPTION.match(word):
            code = argv[at + 1 : at + 2]
            return not code or any(name in code[0] for name in _replaced(wrappers))
    return bool(_EVALUATORS & set(program_names(argv[0])))


def _replaced(wrappers: Sequence[str]) -> set[str]:
    """What xargs replaces by a line that it read: `{}`, and the word after `-I`."""
    names = {"{}"}
    for word, following in zip(wrappers, [*wrappers[1:], ""], strict=True):
        if word.startswith(("-I", "-i")):
            names.add(word[2:] or following)
        elif word.startswith("--replace="):
            names.add(word.removeprefix("--replace="))
    return names - {""}


def _shell_code(argv: Sequence[str]) -> str:
    """The text that a shell is given with `-c`, "" for none."""
    if not argv or not _SHELLS & set(program_names(argv[0])):
        return ""
    for at, word in enumerate(argv[1:], 1):
        if re.fullmatch(r"-[A-Za-z]*c[A-Za-z]*", word):
            return argv[at + 1] if at + 1 < len(argv) else ""
        if not word.startswith(("-", "+")):
            return ""
    return ""


def _about_pipeline(node: Node) -> Iterator[str]:
    for part in node.named_children[1:]:
        if any(_reads_code(_program(command)) or _runs_lines(command) for command in _commands(part)):
            yield PIPED.format(_short(_text(node)))


def _runs_lines(node: Node) -> bool:
    """Whether it is `parallel` without a command, which runs each line that it reads."""
    argv = [text for text, _word in _words(node)]
    inner = _unwrapped(argv)
    return inner >= len(argv) and any("parallel" in program_names(word) for word in argv) and ":::" not in argv


def _about_redirects(node: Node) -> Iterator[str]:
    """`sh < <(curl …)` and `sh <<< "$(…)"`."""
    for heredoc in (child for child in node.children if child.type == "heredoc_redirect"):
        later = [one for child in heredoc.named_children for one in _commands(child)]
        if any(_reads_code(_program(command)) for command in later):
            yield PIPED.format(_short(_text(node)))
    fed = any(_holds_substitution(child) for child in node.children if child.type.endswith("redirect"))
    if fed and any(_reads_code(_program(command)) for command in _commands(node)):
        yield PIPED.format(_short(_text(node)))


def _commands(node: Node) -> Iterator[Node]:
    """The simple commands that share the standard input of this part: those of substitutions are others."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type == "command":
            yield one
        elif one.type not in _SUBSTITUTIONS and not one.type.endswith("redirect"):
            waiting += one.named_children


def _program(node: Node) -> list[str]:
    argv = [text for text, _word in _words(node)]
    return argv[_unwrapped(argv) :]


def _words(node: Node) -> list[tuple[str, Node]]:
    """The program and its arguments as written, quotes and backslashes removed."""
    return [
        (_bare(_text(child)), child)
        for child in node.named_children
        if child.type not in ("variable_assignment", "comment") and not child.type.endswith("redirect")
    ]


def _unwrapped(argv: Sequence[str]) -> int:
    """Where the program stands behind `sudo`, `env`, `xargs` and the like; a word behind an option may be its value."""
    at = 0
    while at < len(argv) and _WRAPPERS & set(program_names(argv[at])):
        rest = argv[at + 1 :]
        plain = next((place for place, word in enumerate(rest) if _plain_word(word)), len(rest))
        known = next((place for place, word in enumerate(rest) if _is_program(word)), len(rest))
        values = all(rest[place - 1].startswith("-") for place in range(known) if place and _plain_word(rest[place]))
        at += 1 + (known if plain and values and known < len(rest) else plain)
    return at


def _plain_word(word: str) -> bool:
    return bool(word) and not word.startswith("-") and "=" not in word and not word[0].isdigit()


def _is_program(word: str) -> bool:
    return bool((_SHELLS | _LANGUAGES | _EVALUATORS) & set(program_names(word)))


def _reads_code(argv: Sequence[str]) -> bool:
    """Whether a program takes what comes through standard input for code: an interpreter without a script."""
    if not argv:
        return False
    names = set(program_names(argv[0]))
    if names & _EVALUATORS:
        return any(word in _STDIN_NAMES for word in argv[1:])
    if not names & (_SHELLS | _LANGUAGES):
        return False
    for word in argv[1:]:
        if word in _STDIN_NAMES or (names & _SHELLS and word in ("-s", "--")):
            return True
        if _CODE_OPTION.match(word) or word == "-m":
            return False
        if not word.startswith("-"):
            return False
    return True


def _feeds(words: Sequence[tuple[str, Node]]) -> bool:
    """Whether a substitution stands where the program looks for code."""
    names = set(program_names(words[0][0]))
    if names & _EVALUATORS:
        return any(_holds_substitution(word) for _text_, word in words[1:])
    if not names & (_SHELLS | _LANGUAGES):
        return False
    code_next = False
    for text, word in words[1:]:
        if _holds_substitution(word):
            return True
        if code_next or not (text.startswith("-") or _CODE_OPTION.match(text)):
            return False
        code_next = _CODE_OPTION.match(text) is not None
    return False


def _holds_substitution(node: Node) -> bool:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type in _SUBSTITUTIONS:
            return True
        waiting += one.children
    return False


def _options(argv: Sequence[str]) -> Iterator[str]:
    """Sentences for the dangerous options of a program and of the one that it launches."""
    while argv:
        rows = option_rows(argv)
        for word in argv[1:]:
            rows = behind_dashes(rows) if word == "--" else rows
            if hit := dangerous_option(rows, word):
                yield OPTION.format(display_text(hit), display_text(argv[0]))
        if len(argv) > 1 and (hit := bare_cluster_option(rows, argv[1])) and "/" not in argv[1] and "." not in argv[1]:
            yield OPTION.format(hit, display_text(argv[0]))
        for hit in powerful_options(argv):
            yield OPTION.format(display_text(hit), display_text(argv[0]))
        argv = inner_tokens(argv) or ()


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def _bare(text: str) -> str:
    return _QUOTES.sub(lambda match: match[1] or "", text)


def _short(text: str) -> str:
    shown = display_text(" ".join(text.split()))
    return shown if len(shown) <= 80 else f"{shown[:79]}…"
