"""Commands inside commands: what a wrapper, shell, interpreter, or an option that names a program would run."""

import re
from dataclasses import dataclass, field

from desktop.policy.shell.deny_call import ANY, is_unknown, option_values, program_name, static, unmarked

SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "mksh", "ksh93", "pdksh", "fish", "ash", "csh", "tcsh", "rbash", "yash",
          "elvish", "nu", "xonsh", "hush"}  # fmt: skip
INTERPRETERS: dict[str, tuple[str, ...]] = {
    "python": ("-c",), "python2": ("-c",), "python3": ("-c",), "pypy": ("-c",), "pypy3": ("-c",),
    "perl": ("-e", "-E"), "ruby": ("-e",), "jruby": ("-e",), "node": ("-e", "--eval", "-p", "--print", "-pe"),
    "nodejs": ("-e", "--eval", "-p", "--print"), "bun": ("-e", "--eval"), "deno": (), "php": ("-r", "-B", "-R"),
    "lua": ("-e",), "luajit": ("-e",), "osascript": ("-e",), "rscript": ("-e",), "julia": ("-e", "-E"),
    "pwsh": ("-c", "-command", "-Command"), "powershell": ("-c", "-command", "-Command"), "groovy": ("-e",),
    "swift": ("-e",), "tclsh": (), "guile": ("-c",), "elixir": ("-e",), "raku": ("-e",), "ghc": ("-e",),
}  # fmt: skip
AWKS = {"awk", "gawk", "mawk", "nawk"}
# wrapper → its options that take a value
_PREFIXES: dict[str, frozenset[str]] = {
    "sudo": frozenset("-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot".split()),
    "doas": frozenset("-u -C -a".split()), "gsudo": frozenset("-u".split()), "run0": frozenset("-u".split()),
    "pkexec": frozenset("--user -u".split()), "runas": frozenset(), "gosu": frozenset(), "su-exec": frozenset(),
    "nohup": frozenset(), "setsid": frozenset(), "command": frozenset(), "builtin": frozenset(),
    "exec": frozenset("-a".split()), "busybox": frozenset(), "toybox": frozenset(), "fakeroot": frozenset("-l -s -i".split()),
    "nice": frozenset("-n --adjustment".split()), "ionice": frozenset("-c -n --class --classdata".split()),
    "time": frozenset("-f -o --format --output".split()), "gtime": frozenset("-f -o".split()),
    "stdbuf": frozenset("-i -o -e".split()), "unbuffer": frozenset(), "chronic": frozenset(), "caffeinate": frozenset("-t -w".split()),
    "strace": frozenset("-e -o -p -s -u -P -E -a -b -O -S -I -X".split()), "ltrace": frozenset("-e -o -p -s -u".split()),
    "firejail": frozenset(), "torsocks": frozenset(), "proxychains": frozenset("-f".split()), "proxychains4": frozenset("-f".split()),
    "rlwrap": frozenset("-f -H".split()), "dbus-run-session": frozenset(), "xvfb-run": frozenset("-n -s -e -f -w".split()),
    "systemd-run": frozenset("-u -p -E -M -H --unit --property --setenv --uid --gid --slice --on-calendar --on-active".split()),
    "unshare": frozenset("-S -G -R -w --root --wd".split()), "nsenter": frozenset("-t --target -S -G".split()),
    "setarch": frozenset(), "linux64": frozenset(), "arch": frozenset(), "chpst": frozenset("-u -U -b -d -e".split()),
    "npx": frozenset("-p --package".split()), "bunx": frozenset(), "pipx": frozenset(), "uvx": frozenset("--from --with".split()),
    "coproc": frozenset(), "proot": frozenset("-r -b -w".split()), "entr": frozenset(), "then": frozenset(), "do": frozenset(),
    "bwrap": frozenset(), "doppler": frozenset(), "noglob": frozenset(), "nocorrect": frozenset(), "-": frozenset(),
    "dotenv": frozenset("-e -f".split()), "cross-env": frozenset(), "env-cmd": frozenset("-f".split()), "with-env": frozenset(),
    "xargs": frozenset("-I -i -n -P -L -d -a -s -E -J -R -S --replace --max-args --max-procs --delimiter --arg-file".split()),
    "parallel": frozenset("-j -I --jobs -N -a --joblog --results --colsep -d".split()),
}  # fmt: skip
# wrappers with operands of their own before the command
_AFTER_OPERANDS = {
    "timeout": (1, frozenset("-k -s --kill-after --signal".split())), "gtimeout": (1, frozenset("-k -s".split())),
    "chroot": (1, frozenset()), "taskset": (1, frozenset()), "chrt": (1, frozenset("-T -P -D".split())),
    "flock": (1, frozenset("-w -E --timeout".split())), "direnv": (2, frozenset()), "runcon": (1, frozenset()),
    "numactl": (0, frozenset()), "ssh-agent": (0, frozenset("-a -t".split())), "softlimit": (0, frozenset()),
    "setpriv": (0, frozenset()), "capsh": (0, frozenset()), "start-stop-daemon": (0, frozenset()),
}  # fmt: skip
_RUNNERS = {
    "uv": ("run",), "poetry": ("run",), "pipenv": ("run",), "bundle": ("exec",), "pdm": ("run",), "hatch": ("run",),
    "rye": ("run",), "conda": ("run",), "mise": ("exec", "x"), "asdf": ("exec",), "npm": ("exec", "x"), "op": ("run",),
    "pnpm": ("exec", "dlx"), "yarn": ("exec", "dlx"), "nix": ("shell", "develop", "run"), "rtx": ("exec",), "fnm": ("exec",),
    "pixi": ("run",), "rbenv": ("exec",), "pyenv": ("exec",), "shx": ("rm", "mv", "chmod", "cp"),
}  # fmt: skip
_TEXT_OPTIONS: dict[str, tuple[str, ...]] = {
    "su": ("-c", "--command"), "runuser": ("-c", "--command"), "script": ("-c", "--command"), "flock": ("-c", "--command"),
    "tar": ("--to-command", "--use-compress-program", "-I", "--rsh-command", "--info-script", "-F"), "man": ("-P", "--pager"),
    "bsdtar": ("--use-compress-program",), "zip": ("-TT", "--unzip-command"), "sort": ("--compress-program",),
    "rg": ("--pre",), "rsync": ("-e", "--rsh", "--rsync-path"), "nix-shell": ("--run", "--command"), "npm": ("-c", "--call"),
    "nix": ("-c", "--command"), "npx": ("-c", "--call"), "expect": ("-c",), "sg": ("-c",), "fzf": ("--preview", "--bind"),
    "gnome-terminal": ("-e", "--command"), "xterm": ("-e",), "konsole": ("-e",), "less": ("-o",), "git": ("-x", "--exec",
    "--extcmd", "--upload-pack", "--receive-pack", "--tree-filter", "--index-filter", "--msg-filter"), "ghci": ("-e",),
    "cmd": ("/c", "/C", "/k"), "docker": ("--entrypoint",), "mapfile": ("-C",), "readarray": ("-C",), "complete": ("-C",),
    "devbox": ("-c",), "distrobox": ("--",), "watchexec": ("--shell",), "start": ("-c",), "env": ("-S", "--split-string"),
}  # fmt: skip
_WORD_WRAPPED = {"watch", "eval", "ssh", "trap", "tmux", "screen", "nodemon", "concurrently", "hyperfine", "mosh",
                 "parallel", "entr", "osascript"}  # fmt: skip
_SSH_VALUES = frozenset("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B".split())
_FIND_RUNS = {"-exec", "-execdir", "-ok", "-okdir"}
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=(.*)", re.DOTALL)


@dataclass(slots=True)
class Inner:
    """What runs inside: argument lists, shell texts, interpreter code, a script file, or what stands on stdin."""

    argvs: list[list[str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    script: str = ""
    language: str = ""
    reads_stdin: bool = False
    remote: bool = False
    assigned: list[tuple[str, str]] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)


def inner_commands(program: str, args: list[str]) -> Inner:
    """What a program would run, given its arguments."""
    if program in SHELLS:
        return shell_call(args)
    if base := interpreter(program):
        return _interpreted(base, args)
    found = Inner(language="sh")
    if program in AWKS:
        return _awk(args)
    if program in {"find", "fd", "fdfind"}:
        found.argvs = found_commands(args)
    elif program == "env":
        _env(args, found)
    elif program == "ssh":
        _ssh(args, found)
    elif program in _PREFIXES:
        _prefixed(program, args, found)
    elif program in _AFTER_OPERANDS:
        skip, valued = _AFTER_OPERANDS[program]
        found.argvs = [_after_options(args, valued)[skip:]]
    elif program in _RUNNERS and args and static(args[0]) in _RUNNERS[program]:
        found.argvs = [args if program == "shx" else _after_options(args[1:], frozenset({"--with", "-p", "-n"}))]
    elif program in _WORD_WRAPPED:
        _worded(program, args, found)
    elif program == "alias":
        found.texts = [value[2] for word in args if (value := _ASSIGNED.fullmatch(word))]
    elif program in {"git", "vim", "vi", "nvim", "ex", "ed", "gdb", "emacs", "psql", "mysql", "sqlite3", "make", "sed"}:
        found.texts = _embedded(program, args)
    if program in _TEXT_OPTIONS:
        found.texts += option_values(args, *_TEXT_OPTIONS[program])
    if program in {"su", "script", "flock", "runuser"}:
        found.texts += [args[index + 1] for index in range(len(args) - 1) if re.fullmatch(r"-[a-z]+c", static(args[index]))]
    if program in {"ssh", "scp", "sftp", "tar", "bsdtar", "git", "rsync"}:
        found.texts += _option_texts(args)
    found.argvs = [argv for argv in found.argvs if argv]
    return found


def _prefixed(program: str, args: list[str], found: Inner) -> None:
    rest = _after_options(args, _PREFIXES[program])
    while rest and (value := _ASSIGNED.fullmatch(rest[0])):
        found.assigned.append((value[1], value[2]))
        rest = rest[1:]
    if program == "sudo" and not rest and {"-s", "-i", "--shell", "--login"} & {static(word) for word in args}:
        found.reads_stdin = True
    if program in {"sudo", "doas"} and rest and len(rest) == 1 and " " in rest[0]:
        found.texts.append(rest[0])
    found.argvs = [rest]


def interpreter(program: str) -> str:
    """The interpreter that a program name means (`python3.11` is python3), or ""."""
    if program in INTERPRETERS:
        return program
    base = re.sub(r"[\d.]+\Z", "", program)
    return base if base in INTERPRETERS else ""


def shell_call(args: list[str]) -> Inner:
    """What a shell runs: the text of `-c`, a script, or its standard input."""
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
        found.texts, found.parameters = [rest[0]], rest[2:]
    elif rest and not from_stdin and static(rest[0]) not in {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}:
        found.script, found.parameters = rest[0], rest[1:]
    else:
        found.reads_stdin = True
        found.parameters = rest
    return found


def _interpreted(base: str, args: list[str]) -> Inner:
    found = Inner(language=base)
    codes = INTERPRETERS[base]
    index = 0
    while index < len(args):
        word = static(args[index])
        if base == "deno" and word in {"eval", "run", "repl"}:
            found.codes += args[index + 1 :][:1] if word == "eval" else []
            found.script = next((a for a in args[index + 1 :] if not a.startswith("-")), "") if word == "run" else ""
            return found
        if word == "-m" and base.startswith(("python", "pypy")):
            return found
        if word in codes or _clustered(base, word, codes):
            found.codes += args[index + 1 :][:1]
            index += 2
            if base.startswith(("python", "pypy")):
                return found
            continue
        attached = next((code for code in codes if len(code) == 2 and word.startswith(code) and len(word) > 2), "")
        if attached and not word.startswith("--"):
            found.codes.append(args[index][2:])
        elif word in {"-W", "-X", "-r", "--require", "-I", "-L", "--import", "--loader"} and base != "php":
            index += 1
        elif word == "-" or not word.startswith("-"):
            break
        elif word in {"--version", "-V", "-v", "--help", "-h"}:
            return found
        index += 1
    rest = args[index:]
    if not found.codes:
        found.script = rest[0] if rest and static(rest[0]) not in {"-", "/dev/stdin"} else ""
        found.reads_stdin = not found.script
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
    rest = _after_options(args, _SSH_VALUES)
    found.remote = True
    rest = _after_options(rest[1:], _SSH_VALUES)
    if rest:
        found.texts = [" ".join(rest)]


def _worded(program: str, args: list[str], found: Inner) -> None:
    valued = {"watch": frozenset({"-n", "--interval"}), "tmux": frozenset({"-s", "-n", "-t", "-c", "-L", "-S"}),
              "screen": frozenset({"-S", "-t"}), "hyperfine": frozenset({"-w", "-r", "-m"})}  # fmt: skip
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
        if word in _FIND_RUNS | {"-x", "-X", "--exec", "--exec-batch"}:
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
        found = re.match(
            r"(?:-o)?(?:ProxyCommand|LocalCommand|RemoteCommand|KnownHostsCommand|PermitLocalCommand)[= ](.+)"
            r"|--checkpoint-action=exec=(.+)", unmarked(word), re.IGNORECASE | re.DOTALL
        )  # fmt: skip
        if found:
            texts.append(found[1] or found[2])
    return texts


def any_program(args: list[str]) -> Inner:
    """What an unknown program may run: its words as a command of their own, and the texts after `-c` and `-e`."""
    found = Inner(language="sh", texts=option_values(args, "-c", "-e", "-ec", "-lc", "-ic", "-exec"))
    found.codes = list(found.texts)
    if args and not is_unknown(args[0]) and not args[0].startswith("-") and program_name(args[0]) != ANY:
        found.argvs = [args]
    return found
