"""Ways to write a command differently that change nothing of what it does (gate-D6)."""

import re
import shlex
from collections.abc import Iterator

_BUILTINS = {
    "cd", "pushd", "eval", "source", ".", "f", "if", "for", "while", "until", "case", "function", "x", "a", "export",
    "declare", "trap",
    "alias", "let", "read", "set", "printf", "echo", "time", "exec", "builtin", "coproc", "select", "bomb", "command",
    "history", "kill", "true", "false",
}  # fmt: skip
_FIRST = re.compile(r"([a-z][a-z0-9_.-]*)(?=\s)")
_PLAIN = re.compile(r"[A-Za-z0-9/._=:@%+ -]+")


def framed(command: str) -> Iterator[str]:
    """The whole line inside something that runs it."""
    quoted = shlex.quote(command)
    yield f"true; {command}"
    yield f"# a comment\n{command}"
    yield f"\n\n  {command}\n"
    yield f"({command}\n)"
    yield f"{{ {command}\n}}"
    yield f"f() {{ {command}\n}}; f"
    yield f"function go {{\n{command}\n}}\ngo"
    yield f"if true; then {command}\nfi"
    yield f"if {command}\nthen :; fi"
    yield f"for i in 1; do {command}\ndone"
    yield f"while :; do {command}\ndone"
    yield f"case a in a) {command}\n;; esac"
    yield f"true && {command}"
    yield f"false || {command}"
    yield f"ls\n{command}\nls"
    yield f"echo $({command}\n)"
    yield f'x="$({command}\n)"'
    yield f"cat <({command}\n)"
    yield f"eval {quoted}"
    yield f"bash -c {quoted}"
    yield f"/bin/sh -c {quoted}"
    yield f"env -i bash -c {quoted}"
    yield f"sudo bash -c {quoted}"
    yield f"timeout 5 sh -c {quoted}"
    yield f"nohup sh -c {quoted} &"
    yield f"bash <<< {quoted}"
    yield f"sh <<'END_OF_IT'\n{command}\nEND_OF_IT"
    yield f"cat <<'END_OF_IT' | bash\n{command}\nEND_OF_IT"
    yield f"printf %s {quoted} | sh"
    yield f"trap {quoted} EXIT"
    yield f"find . -exec sh -c {quoted} \\;"
    yield f"xargs -n1 sh -c {quoted}"
    yield f"bash -c {shlex.quote(f'bash -c {quoted}')}"
    yield f'c={quoted}; eval "$c"'
    yield f"python3 -c {shlex.quote(f'import os; os.system({command!r})')}"
    yield f"cat > x.sh <<'END_OF_IT'\n{command}\nEND_OF_IT\nbash x.sh"


def respelled(command: str) -> Iterator[str]:
    """The program, its words and the blanks between them written differently."""
    first = _FIRST.match(command)
    if first is None or first[1] in _BUILTINS:
        return
    program, rest = first[1], command[first.end() :]
    if rest.startswith("\n"):
        return
    for spelled in (
        f"'{program}'", f'"{program}"', f"\\{program}", f"{program[0]}''{program[1:]}",
        f'{program[0]}"{program[1:]}"', f"$'{program}'",
        f"$'\\x{ord(program[0]):02x}{program[1:]}'", f"/usr/bin/{program}", f"/usr/bin/../bin/{program}",
        f"command {program}", f"env {program}",
        f"nohup {program}", f"timeout -k 1 5 {program}", f"nice -n 5 {program}", f"sudo {program}",
        f"sudo -u root {program}", f"exec {program}",
        f"A=1 {program}", f"env A=1 {program}", f"setsid {program}", f"stdbuf -oL {program}", f"busybox {program}",
        program.upper(), f"! {program}",
        f"time {program}", f"p={program}; $p", f"p={program}; ${{p}}", f"$(echo {program})", f"`echo {program}`",
    ):  # fmt: skip
        yield spelled + rest
    yield program + rest.replace(" ", "  ")
    yield program + "\t" + rest.lstrip()
    yield program + " \\\n " + rest.lstrip()
    if _PLAIN.fullmatch(rest):
        words = rest.split()
        yield program + " " + " ".join(f"'{word}'" for word in words)
        yield program + " " + " ".join(f'"{word}"' for word in words)
        yield program + " " + " ".join(f"{word[0]}\\{word[1:]}" if len(word) > 1 else word for word in words)
        yield program + " " + " ".join(f"{word[0]}''{word[1:]}" for word in words)
        yield f"{{{','.join([program, *words])}}}"
        yield f"{program}${{IFS}}" + "${IFS}".join(words)
        yield f"w='{rest.strip()}'; {program} $w"
        yield f'set -- {rest.strip()}; {program} "$@"'
