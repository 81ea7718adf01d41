"""Commands inside commands: what a wrapper, shell, interpreter, or an option that names a program would run."""

import re
from collections.abc import Callable, Container
from dataclasses import field
from functools import lru_cache

from desktop.policy.shell.deny.call import ANY, is_unknown, option_values, program_name, static, unmarked
from desktop.policy.shell.deny.reader.wrap_tables import (
    AFTER_OPERANDS,
    AWKS,
    FIND_RUNS,
    INTERPRETERS,
    PREFIXES,
    RUNNERS,
    SHELLS,
    SSH_VALUES,
    TEXT_OPTIONS,
    WORD_WRAPPED,
)
from desktop.records import dataclass

_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=(.*)", re.DOTALL)
_TEXT_CLUSTER = re.compile(r"-[a-z]+c")
_OPTION_TEXT = re.compile(
    r"(?:-o)?(?:ProxyCommand|LocalCommand|RemoteCommand|KnownHostsCommand|PermitLocalCommand)[= ](.+)"
    r"|--checkpoint-action=exec=(.+)",
    re.IGNORECASE | re.DOTALL,
)
_INFORMS = {"--version", "-V", "-v", "--help", "-h"}
_VALUED = {"-W", "-X", "-r", "--require", "-I", "-L", "--import", "--loader"}


@dataclass(slots=True)
class Inner:
    """The things that a program runs in turn: argument lists, shell texts, interpreter code, a script file, or what
    stands on stdin."""

    argvs: list[list[str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    script: str = ""
    language: str = ""
    reads_stdin: bool = False
    remote: bool = False
    assigned: list[tuple[str, str]] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)

    def holds_any(self) -> bool:
        """Whether anything runs inside, or is set for it."""
        given = self.argvs or self.texts or self.codes or self.script or self.assigned or self.parameters
        return bool(given) or self.reads_stdin or self.remote


def inner_commands(program: str, args: list[str]) -> Inner:
    """The commands that a program would run, given its arguments."""
    if program in SHELLS:
        return shell_call(args)
    if base := interpreter(program):
        return _interpreted(base, args)
    if program in AWKS:
        return _awk(args)
    found = Inner(language="sh")
    if filler := _FILLERS.get(program):
        filler(args, found)
    elif program in PREFIXES:
        _prefixed(program, args, found)
    elif program in AFTER_OPERANDS:
        skip, valued = AFTER_OPERANDS[program]
        found.argvs = [_after_options(_after_options(args, valued)[skip:], valued)]
    elif program in RUNNERS:
        found.argvs = [_run_by(program, _after_options(args, frozenset()))]
    elif program in WORD_WRAPPED:
        _worded(program, args, found)
    elif program in _EMBEDDING:
        found.texts = _embedded(program, args)
    found.texts += _texts_of_options(program, args)
    found.argvs = [argv for argv in found.argvs if argv]
    return found


def _run_by(program: str, words: list[str]) -> list[str]:
    """What a runner runs, given its words from the sub-command on."""
    if not words or static(words[0]) not in RUNNERS[program]:
        return []
    if program == "shx" or static(words[0]) == "node":
        return words
    return _after_options(words[1:], frozenset({"--with", "-p", "-n", "--scope"}))


def _texts_of_options(program: str, args: list[str]) -> list[str]:
    texts = option_values(args, *TEXT_OPTIONS[program]) if program in TEXT_OPTIONS else []
    if program in _TEXT_CLUSTERS:
        texts += [args[i + 1] for i in range(len(args) - 1) if _TEXT_CLUSTER.fullmatch(static(args[i]))]
    if program in _TEXT_IN_WORDS:
        texts += _option_texts(args)
    return texts


def wraps(program: str) -> bool:
    """Whether what a program is given is judged as a command of its own."""
    return program in _WRAPPING or bool(interpreter(program))


@lru_cache(maxsize=512)
def runs_others(program: str) -> bool:
    """Whether some call of a program runs anything inside, as `inner_commands` has it."""
    return wraps(program) or any(program in table for table in _RUNNING)


def _prefixed(program: str, args: list[str], found: Inner) -> None:
    rest = _after_options(args, PREFIXES[program])
    while rest and (value := _ASSIGNED.fullmatch(rest[0])):
        found.assigned.append((value[1], value[2]))
        rest = rest[1:]
    if program == "sudo" and not rest and {"-s", "-i", "--shell", "--login"} & {static(word) for word in args}:
        found.reads_stdin = True
    if program in {"sudo", "doas"} and rest and len(rest) == 1 and " " in rest[0]:
        found.texts.append(rest[0])
    found.argvs = [rest]


@lru_cache(maxsize=512)
def interpreter(program: str) -> str:
    """The interpreter that a program name means (`python3.11` is python3), or ""."""
    if program in INTERPRETERS:
        return program
    base = program.rstrip("0123456789.")
    return base if base in INTERPRETERS else ""


def shell_call(args: list[str]) -> Inner:
    """The commands that a shell runs: the text of `-c`, a script, or its standard input."""
    found = Inner(language="sh")
    takes_text = from_stdin = False
    index = 0
    while index < len(args):
        word = static(args[index])
        if word in {"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}:
            if word.startswith("--") and index + 1 < len(args):
                found.script = args[index + 1]
            index += 2
            continue
        if word in {"--", "-"}:
            index += 1
            break
        if not word or word[0] not in "-+" or not word.strip("-+"):
            break
        if not word.startswith("--"):
            takes_text |= "c" in word and word[0] == "-"
            from_stdin |= "s" in word
        takes_text |= word in {"--command"}
        index += 1
    rest = args[index:]
    if takes_text and rest:
        found.texts, found.parameters = [rest[0]], rest[1:]
    elif rest and not from_stdin and static(rest[0]) not in {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}:
        found.script, found.parameters = rest[0], rest
    else:
        found.reads_stdin = True
        found.parameters = ["bash", *rest]
    return found


def _interpreted(base: str, args: list[str]) -> Inner:
    found = Inner(language=base)
    if base == "deno":
        return _deno(args, found)
    snake = base.startswith(("python", "pypy"))
    index = 0
    while index < len(args):
        word = static(args[index])
        if word in _INFORMS or (snake and word == "-m"):
            return found
        if word == "-" or not word.startswith("-"):
            break
        step, code = _code_option(base, args, index)
        found.codes += code
        if code and snake:
            return found
        index += step
    rest = args[index:]
    if not found.codes:
        found.script = rest[0] if rest and static(rest[0]) not in {"-", "/dev/stdin"} else ""
        found.reads_stdin = not found.script
    return found


def _code_option(base: str, args: list[str], index: int) -> tuple[int, list[str]]:
    """How many words an interpreter's option takes, and the code that it gives."""
    word, codes = static(args[index]), INTERPRETERS[base]
    if word in codes or _clustered(base, word, codes):
        return 2, args[index + 1 :][:1]
    attached = any(len(code) == 2 and word.startswith(code) and len(word) > 2 for code in codes)
    if attached and not word.startswith("--"):
        return 1, [args[index][2:]]
    return (2 if word in _VALUED and base != "php" else 1), []


def _deno(args: list[str], found: Inner) -> Inner:
    operands = [word for word in args if not static(word).startswith("-")]
    if operands[:1] == ["eval"]:
        found.codes = operands[1:2]
    else:
        found.script = next(iter(operands[1:2]), "") if operands[:1] == ["run"] else ""
        found.reads_stdin = operands in (["run"], ["repl"], []) or args[-1:] == ["-"]
    return found


def _clustered(base: str, word: str, codes: tuple[str, ...]) -> bool:
    """`perl -ne`, `ruby -lane`: the letter that takes code stands last in a cluster."""
    if base not in {"perl", "ruby", "python", "python3", "python2"} or not re.fullmatch(r"-[A-Za-z0-9]{2,8}", word):
        return False
    return "-" + word[-1] in codes and not word.startswith(("-e", "-c", "-E", "-I", "-M", "-m"))


def _awk(args: list[str]) -> Inner:
    found = Inner(language="awk")
    rest = _after_options(args, frozenset({"-v", "-F", "-f", "--file", "-i", "--assign"}))
    found.codes = rest[:1] + option_values(args, "-e", "--source")
    return found


def _after_options(args: list[str], valued: frozenset[str]) -> list[str]:
    """What is left after a wrapper's options and assignments to environment variables of `env` style stay."""
    index = 0
    while index < len(args):
        word = static(args[index])
        if word == "--":
            return args[index + 1 :]
        if not word.startswith("-") or word == "-":
            break
        index += 2 if word in valued else 1
    return args[index:]


def _env(args: list[str], found: Inner) -> None:
    index = 0
    while index < len(args):
        word = static(args[index])
        if word in {"-u", "-C", "--unset", "--chdir"}:
            index += 1
        elif word in {"-S", "--split-string"}:
            found.texts.append(" ".join(args[index + 1 :]))
            return
        elif word.startswith(("-S", "--split-string=")):
            found.texts.append(" ".join([word.removeprefix("--split-string=").removeprefix("-S"), *args[index + 1 :]]))
            return
        elif value := _ASSIGNED.fullmatch(args[index]):
            found.assigned.append((value[1], value[2]))
        elif not word.startswith("-"):
            break
        index += 1
    found.argvs = [args[index:]]


def _ssh(args: list[str], found: Inner) -> None:
    rest = _after_options(args, SSH_VALUES)
    found.remote = True
    rest = _after_options(rest[1:], SSH_VALUES)
    if rest:
        found.texts = [" ".join(rest)]


def _worded(program: str, args: list[str], found: Inner) -> None:
    valued = {
        "watch": frozenset({"-n", "--interval"}),
        "tmux": frozenset({"-s", "-n", "-t", "-c", "-L", "-S"}),
        "screen": frozenset({"-S", "-t"}),
        "hyperfine": frozenset({"-w", "-r", "-m"}),
    }
    rest = _after_options(args, valued.get(program, frozenset()))
    if program == "eval":
        found.texts = [" ".join(args)]
    elif program == "trap":
        found.texts = rest[:1]
    elif program == "watch":
        found.texts = [" ".join(rest)]
    else:
        found.texts = [word for word in rest if " " in word]
        found.argvs = [rest, rest[1:]]


def found_commands(args: list[str]) -> list[list[str]]:
    """The argument lists that `find -exec` and `fd -x` run."""
    commands: list[list[str]] = []
    index = 0
    while index < len(args):
        word = static(args[index])
        if word in FIND_RUNS | {"-x", "-X", "--exec", "--exec-batch"}:
            end = index + 1
            while end < len(args) and static(args[end]) not in {";", "\\;"} and not _closes(args, end):
                end += 1
            commands.append(args[index + 1 : end])
            index = end
        index += 1
    return commands


def _closes(args: list[str], index: int) -> bool:
    return args[index] == "+" and args[index - 1] == "{}"


def _embedded(program: str, args: list[str]) -> list[str]:
    """Shell texts inside the arguments of editors, debuggers, database clients, make, sed and git."""
    texts: list[str] = []
    for index, raw in enumerate(args):
        word = unmarked(raw)
        if program == "git":
            texts += _git_texts(args, index, word)
        elif program == "sed":
            texts += re.findall(r"(?:\A|[;{\n\d$/])\s*e\s+([^;}\n]+)", word)
        elif program in {"psql", "mysql", "sqlite3"}:
            texts += re.findall(r"(?:\\!|\.shell|\.system|system)\s*([^\n]+)", word)
        elif program == "gdb":
            texts += re.findall(r"(?:shell|!)\s*([^\n]+)", word)
        elif program == "make":
            texts += re.findall(r"\$\(shell ([^)]+)\)", word)
        else:
            texts += re.findall(r"!\s*([^|\n'\"]+)", word)
            texts += re.findall(r"(?:system|shell-command)\(?\s*['\"]([^'\"]+)", word)
    return texts


def _git_texts(args: list[str], index: int, word: str) -> list[str]:
    if word.startswith("!"):
        return [word[1:]]
    if index and static(args[index - 1]) in {"-c", "--config"} and "=" in word:
        return [word.partition("=")[2].removeprefix("!")]
    if index >= 2 and static(args[0]) in {"submodule", "bisect"} and static(args[1]) in {"foreach", "run"}:
        return [" ".join(args[index:])] if index == 2 else []
    return []


def _option_texts(args: list[str]) -> list[str]:
    texts = []
    for word in args:
        if found := _OPTION_TEXT.match(unmarked(word)):
            texts.append(found[1] or found[2])
    return texts


def any_program(args: list[str]) -> Inner:
    """The commands that an unknown program may run: its words as a command of their own, and the texts after `-c` and
    `-e`."""
    found = Inner(language="sh", texts=option_values(args, "-c", "-e", "-ec", "-lc", "-ic", "-exec"))
    found.codes = list(found.texts)
    if args and not is_unknown(args[0]) and not args[0].startswith("-") and program_name(args[0]) != ANY:
        found.argvs = [args]
    return found


def _find(args: list[str], found: Inner) -> None:
    found.argvs = found_commands(args)


def _alias(args: list[str], found: Inner) -> None:
    found.texts = [value[2] for word in args if (value := _ASSIGNED.fullmatch(word))]


_FILLERS: dict[str, Callable[[list[str], Inner], None]] = {
    "find": _find,
    "fd": _find,
    "fdfind": _find,
    "env": _env,
    "ssh": _ssh,
    "alias": _alias,
}
_EMBEDDING = {"git", "vim", "vi", "nvim", "ex", "ed", "gdb", "emacs", "psql", "mysql", "sqlite3", "make", "sed"}
_WRAPPING = {*SHELLS, *AWKS, *PREFIXES, *AFTER_OPERANDS, *WORD_WRAPPED, *_FILLERS}
_TEXT_CLUSTERS = {"su", "script", "flock", "runuser"}
_TEXT_IN_WORDS = {"ssh", "scp", "sftp", "tar", "bsdtar", "git", "rsync"}
_RUNNING: tuple[Container[str], ...] = (
    {ANY, "source", "."},
    RUNNERS,
    _EMBEDDING,
    TEXT_OPTIONS,
    _TEXT_CLUSTERS,
    _TEXT_IN_WORDS,
)
