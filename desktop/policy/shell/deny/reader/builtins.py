"""The changes that shell built-ins make while a line is followed, and the words that `xargs`, `parallel` and `find`
add."""

from collections.abc import Callable

from desktop.policy.shell.deny.call import Call, is_unknown, option_values, static, thinned, unmarked
from desktop.policy.shell.deny.reader.nodes import SOME
from desktop.policy.shell.deny.reader.scope import Scope
from desktop.policy.shell.deny.reader.text import printed

ELSEWHERE = "/\x06elsewhere/\x06"


def _cd(scope: Scope, call: Call) -> None:
    operands = [word for word in call.args if not static(word).startswith("-") or static(word) == "-"]
    target = operands[0] if operands else "~"
    previous = scope.folder
    if static(target) == "-":
        scope.folder = scope.path(scope.values_of("OLDPWD")[0])
    elif is_unknown(target) and not target.startswith("/"):
        scope.folder = ELSEWHERE
    elif operands or call.program == "cd":
        scope.folder = scope.path(target)
    scope.assign("OLDPWD", [previous])


def _popd(scope: Scope, call: Call) -> None:
    scope.folder = scope.path(scope.values_of("OLDPWD")[0])


def _export(scope: Scope, call: Call) -> None:
    for word in call.args:
        name, equals, value = word.partition("=")
        if equals and not word.startswith("-"):
            scope.assign(name.removesuffix("+"), [value], adds=name.endswith("+"))
            call.assigned.append((name.removesuffix("+"), value))


def _set(scope: Scope, call: Call) -> None:
    if "--" in call.args:
        scope.positional = call.args[call.args.index("--") + 1 :]


def _shift(scope: Scope, call: Call) -> None:
    scope.positional = scope.positional[1:] if scope.positional else scope.positional


def _read(scope: Scope, call: Call) -> None:
    values = thinned(call.stdin.split()) or [SOME]
    for word in call.args or ["REPLY"]:
        if not word.startswith("-"):
            scope.assign(word, values)


def _printf(scope: Scope, call: Call) -> None:
    if call.args[:1] == ["-v"]:
        scope.assign(call.argv[2] if len(call.argv) > 2 else "", [printed(call.args)])


def _alias(scope: Scope, call: Call) -> None:
    for word in call.args:
        name, equals, value = word.partition("=")
        if equals:
            scope.aliases[name] = value


BUILTINS: dict[str, Callable[[Scope, Call], None]] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _cd,
    "popd": _popd,
    "export": _export,
    "declare": _export,
    "typeset": _export,
    "local": _export,
    "readonly": _export,
    "set": _set,
    "shift": _shift,
    "read": _read,
    "mapfile": _read,
    "readarray": _read,
    "printf": _printf,
    "alias": _alias,
}


def fed_words(call: Call, argv: list[str]) -> list[list[str]]:
    """The argument lists that a wrapper makes of one: `xargs` adds words of its input, `find` puts paths for `{}`."""
    if call.program == "xargs":
        return _from_input(call, argv)
    if call.program == "parallel" and ":::" in argv:
        cut = argv.index(":::")
        if cut == 0:  # without a command, each word is a command line
            return [["sh", "-c", word] for word in argv[1:]]
        return [[*argv[:cut], *argv[cut + 1 :]], [word.replace("{}", " ".join(argv[cut + 1 :])) for word in argv[:cut]]]
    if call.program == "parallel":
        lines = thinned([line for line in call.stdin.split("\n") if line])
        return _from_input(call, argv) if argv else [["sh", "-c", line] for line in lines]
    if call.program in {"find", "fd", "fdfind"}:
        return [_with_paths(argv, found_paths(call.args))]
    return [argv]


def _from_input(call: Call, argv: list[str]) -> list[list[str]]:
    words = thinned(call.stdin.split())
    marker = next(iter(option_values(call.args, "-I", "--replace", "-J")), "{}" if call.program == "parallel" else "")
    if marker and any(marker in word for word in argv):
        lines = thinned([line for line in call.stdin.split("\n") if line]) or [SOME]
        return [[word.replace(marker, line) for word in argv] for line in lines]
    return [[*argv, *words]]


def _with_paths(argv: list[str], paths: list[str]) -> list[str]:
    replaced: list[str] = []
    for word in argv:
        replaced += paths if word == "{}" else [word.replace("{}", paths[0] if paths else "")]
    return replaced


def found_roots(args: list[str]) -> list[str]:
    """The folders in which `find` begins."""
    roots: list[str] = []
    for word in args:
        text = unmarked(word)
        if text in {"-H", "-L", "-P"} or text.startswith("-O"):
            continue
        if text.startswith(("-", "(", "!", ")")):
            break
        roots.append(text)
    return roots or ["."]


def found_paths(args: list[str]) -> list[str]:
    """The paths that `find` may name: its roots with the names asked for, or anything below them."""
    names = [name for name in option_values(args, "-name", "-iname", "-path", "-wholename") if name]
    return [f"{root.rstrip('/')}/{name.lstrip('/')}" for root in found_roots(args) for name in names or ["*"]]
