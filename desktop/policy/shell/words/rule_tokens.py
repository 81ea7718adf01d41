"""The word prefixes that may be saved as an allow rule (gate-R13)."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from desktop.policy.shell.deny.reader.wrap_tables import AFTER_OPERANDS, PREFIXES, SHELLS, WORD_WRAPPED
from desktop.policy.shell.words.assignments import assignment_problem, split_assignments

MAX_TOKENS = 12


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LISTED = _words(
    "bash sh dash zsh ksh mksh ash fish csh tcsh pwsh powershell cmd nu xonsh eval exec source . command builtin env "
    "sudo doas su runuser pkexec xargs nohup timeout nice ionice chrt taskset time watch strace ltrace script stdbuf "
    "unbuffer setsid busybox toybox ssh parallel chroot unshare nsenter setpriv prlimit flock bwrap firejail entr "
    "watchexec nodemon expect tmux screen at batch coproc trap gtimeout rlwrap proxychains torify "
    "dotenv direnv cross-env cross-env-shell env-cmd concurrently onchange chokidar start-server-and-test pm2 forever "
    "honcho foreman overmind hivemind setarch eatmydata fakeroot dumb-init tini gosu hyperfine"
)
_OTHERWISE_KNOWN = _words("- then do arch npx bunx uvx pipx doppler osascript")
"""What the deny matcher looks behind and a rule may name all the same, with the program that it runs."""
SHELLS_AND_WRAPPERS = (_LISTED | SHELLS | PREFIXES.keys() | AFTER_OPERANDS.keys() | WORD_WRAPPED) - _OTHERWISE_KNOWN
"""They run what they are given. Ask and deny rules look behind them."""
_CHANGES_SHELL = _words(
    "alias bg bind cd compgen complete compopt declare dirs disown enable export fc fg getopts hash history jobs let "
    "local logout mapfile popd pushd read readarray readonly return set shift shopt suspend typeset ulimit umask "
    "unalias unset wait"
)
_PROGRAM_IN_OPERAND = _words(
    "sed gsed awk gawk mawk nawk ed ex vi vim nvim view emacs emacsclient gdb "
    "lldb osascript dc m4 gnuplot tcpdump mail mailx maxima gp vimdiff rview rvim"
)
_ALWAYS_ASK = _words("rm dd shred chmod chown kill pkill killall curl wget nc ncat netcat socat telnet scp sftp ftp")
_DATABASE_CLIENTS = _words(
    "psql mysql mariadb sqlite sqlite3 duckdb mongosh mongo redis-cli sqlcmd bcp clickhouse clickhouse-client snowsql "
    "bq pgcli mycli litecli mssql-cli usql isql cqlsh sqlplus mysqladmin mysqlsh createdb dropdb cockroach"
)
_TOO_MUCH_ALONE = _words(
    "git npm pnpm yarn bun npx bunx uvx pnpx pipx docker podman kubectl make gmake cargo go python node ruby perl php "
    "java gradle mvn pip uv poetry pdm hatch pipenv rye pixi bundle gem composer deno dotnet gh glab aws gcloud az "
    "helm terraform systemctl brew apt apt-get dnf yum nx lerna rush volta fnm nvm mise asdf conda mamba micromamba "
    "nix op aws-vault chamber ip perf heroku fly flyctl vagrant ddev lando dagger"
)
_INTERPRETERS = _words(
    "python node ruby perl php lua luajit rscript tclsh wish julia ts-node tsx groovy scala jshell irb ghci erl iex "
    "elixir clojure guile racket sbcl octave swipl ocaml r kotlin runghc runhaskell runghc vite-node babel-node "
    "swc-node sucrase-node esno esr ts-node-esm ts-node-dev coffee qjs zx jython ipython bpython micropython mono "
    "dotnet-script csi fsi clisp ecl clj bb janet fennel scala-cli amm rust-script crystal expect gst wolframscript"
)
_NEEDS_MORE: tuple[tuple[str, ...], ...] = (
    ("git", "push"),
    ("git", "fetch"),
    ("git", "pull"),
    ("git", "remote"),
    ("git", "config"),
    ("git", "submodule"),
    ("go", "run"),
    ("deno", "run"),
    ("coverage", "run"),
)
_EVALUATES: tuple[tuple[str, ...], ...] = (
    ("git", "bisect", "run"), ("git", "submodule", "foreach"), ("git", "filter-branch"), ("git", "hook"),
    ("deno", "eval"), ("deno", "repl"), ("rails", "runner"), ("rails", "console"), ("rails", "c"), ("nix", "shell"),
    ("nix", "develop"), ("nix", "run"), ("npm", "explore"), ("gh", "alias"), ("npm", "set-script"),
    ("yarn", "node"), ("pnpm", "node"), ("bun", "exec"), ("bun", "repl"), ("aws-vault", "exec"), ("chamber", "exec"),
    ("ip", "netns", "exec"), ("yarn", "workspaces", "foreach"), ("yarn", "workspace"), ("heroku", "run"),
    ("vagrant", "ssh"), ("ddev", "exec"), ("gh", "codespace", "ssh"), ("fly", "ssh"), ("flyctl", "ssh"),
    ("infisical", "run"), ("git", "difftool", "-x"), ("git", "rebase", "-x"), ("npm", "edit"), ("go", "tool"),
)  # fmt: skip
_LAUNCHERS: tuple[tuple[str, ...], ...] = (
    ("npx",), ("bunx",), ("uvx",), ("pnpx",), ("pipx", "run"), ("npm", "exec"), ("npm", "x"), ("pnpm", "exec"),
    ("pnpm", "dlx"), ("yarn", "exec"), ("yarn", "dlx"), ("bun", "x"), ("uv", "run"), ("uv", "tool", "run"),
    ("uv", "x"), ("poetry", "run"), ("pdm", "run"), ("hatch", "run"), ("pipenv", "run"), ("rye", "run"),
    ("pixi", "run"), ("bundle", "exec"), ("conda", "run"), ("mamba", "run"), ("mise", "exec"), ("mise", "x"),
    ("composer", "exec"), ("opam", "exec"), ("stack", "exec"), ("cabal", "exec"),
    ("dotnet", "tool", "run"), ("pyenv", "exec"), ("rbenv", "exec"), ("asdf", "exec"),
    ("doppler", "run"), ("nx", "exec"), ("lerna", "exec"), ("rush", "exec"), ("tox", "exec"), ("volta", "run"),
    ("fnm", "exec"), ("nvm", "exec"), ("micromamba", "run"), ("op", "run"), ("dagger", "run"), ("nodenv", "exec"),
    ("goenv", "exec"), ("pnpm", "x"),
)  # fmt: skip
"""What follows is a program with its own words."""
_CONTAINERS: tuple[tuple[str, ...], ...] = tuple(
    (program, *words)
    for program in ("docker", "podman", "docker-compose", "kubectl", "oc")
    for words in (("run",), ("exec",), ("compose", "run"), ("compose", "exec"), ("container", "run"))
)
"""What follows is the name of a container or image, then a program with its own words."""
_FLAGS_OF_LAUNCHERS = _words(
    "-- --frozen --locked --no-sync --offline --quiet -q --no-install --yes -y --silent -s --all-extras --no-dev "
    "--no-cache"
)
_CODE_MODULES = _words("code codeop timeit pdb bdb runpy cprofile profile trace asyncio idlelib ipython")
_SAME_PROGRAM = {
    "nodejs": "node",
    "py": "python",
    "pypy": "python",
    "py.test": "pytest",
    "gmake": "make",
    "mvnw": "mvn",
    "gradlew": "gradle",
    "gtar": "tar",
    "bsdtar": "tar",
    "gfind": "find",
    "gsort": "sort",
    "ggrep": "grep",
    "g++": "gcc",
    "c++": "gcc",
    "clang++": "clang",
    "egrep": "grep",
    "fgrep": "grep",
    "zgrep": "grep",
    "fdfind": "fd",
    "pythonw": "python",
}
_VERSION = re.compile(r"-?\d+(\.\d+)*$")
_FLAG = re.compile(r"-{1,2}[^=]+=.*|-[A-Za-z]\d+|--no-pager|-P")
_MODULE = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
_FORBIDDEN_CATEGORIES = {"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"}


def program_names(word: str) -> tuple[str, ...]:
    """The names under which tables may list a program: its base name in small letters, then without its version, and
    the usual name of a variant. `/usr/bin/python3.11` → `python3.11`, `python`."""
    base = word.rsplit("/", 1)[-1].casefold().removesuffix(".exe").removesuffix(".cmd")
    plain = _VERSION.sub("", base) or base
    return tuple(dict.fromkeys((base, plain, _SAME_PROGRAM.get(base, plain), _SAME_PROGRAM.get(plain, plain))))


def inner_tokens(tokens: Sequence[str]) -> tuple[str, ...] | None:
    """The words of the program that a launcher runs: `uv run pytest -q` → `pytest -q`, `docker exec app ls` → `ls`,
    `python -m pytest` → `pytest`.

    None: these are not words of a launcher. Empty: the launcher's program is not named, or cannot be told.
    """
    for launcher in _LAUNCHERS:
        if _begins(tokens, launcher):
            rest = list(tokens[len(launcher) :])
            while rest and rest[0] in _FLAGS_OF_LAUNCHERS:
                rest.pop(0)
            return tuple(rest) if rest and not rest[0].startswith("-") else ()
    for container in _CONTAINERS:
        if _begins(tokens, container):
            rest = [word for word in tokens[len(container) :] if word != "--"]
            return tuple(rest[1:]) if not any(word.startswith("-") for word in rest[:2]) else ()
    if len(tokens) > 2 and tokens[1] == "-m" and "python" in program_names(tokens[0]):
        return tuple(tokens[2:])
    return None


def evaluates(words: Sequence[str]) -> bool:
    """Whether these words begin with a sub-command that runs whatever follows it."""
    return any(_begins(words, known) for known in _EVALUATES)


def runs_any_program(tokens: Sequence[str]) -> bool:
    """Whether words after these could be any program: they end with a wrapper, a shell, an interpreter without a
    script, or a launcher that names none."""
    _, tokens = split_assignments(tokens)
    inner = inner_tokens(tokens)
    if inner is not None and tuple(tokens[1:2]) != ("-m",):
        return not inner or runs_any_program(inner)
    names = frozenset(program_names(tokens[0])) if tokens else frozenset()
    if names & (SHELLS_AND_WRAPPERS | _PROGRAM_IN_OPERAND) or evaluates(tokens):
        return True
    return bool(names & (_INTERPRETERS | _TOO_MUCH_ALONE)) and len(tokens) == 1


@lru_cache(maxsize=1024)
def token_problem(tokens: tuple[str, ...]) -> str:
    """Why an allow rule with these tokens may not be saved and is off, in one sentence; "" when it may (gate-R13)."""
    if not tokens or not all(tokens):
        return "The rule names no program."
    if len(tokens) > MAX_TOKENS:
        return f"A rule has at most {MAX_TOKENS} words."
    if any(unicodedata.category(char) in _FORBIDDEN_CATEGORIES for token in tokens for char in token):
        return "A word of the rule holds a control character or an invisible one."
    given, plain = split_assignments(tokens)
    if not plain:
        return "The rule names no program."
    if problem := next((problem for one in given if (problem := assignment_problem(one))), ""):
        return problem
    return _plain_problem(plain)


def _plain_problem(tokens: tuple[str, ...]) -> str:
    if _leads_out(tokens[0]):
        return f"{tokens[0]} lies outside the lane. Name a program, or a file of the lane."
    return _program_problem(tokens) or _breadth_problem(tokens)


def _program_problem(tokens: tuple[str, ...]) -> str:
    names = frozenset(program_names(tokens[0]))
    if names & SHELLS_AND_WRAPPERS:
        return f"{tokens[0]} runs whatever follows it. Name the program that it runs."
    if tokens[0] in _CHANGES_SHELL:
        return f"{tokens[0]} changes the shell for all that follows it."
    if names & _PROGRAM_IN_OPERAND:
        return f"{tokens[0]} takes its program as an operand, so a rule for it would allow anything."
    if names & _ALWAYS_ASK or tokens[0].rsplit("/", 1)[-1].casefold().startswith("mkfs"):
        return f"{tokens[0]} is asked about every time."
    if names & _DATABASE_CLIENTS:
        return f"{tokens[0]} talks to a database, so its SQL is judged every time."
    if evaluates(tokens):
        return f"{' '.join(tokens)} runs whatever follows it."
    return ""


def _breadth_problem(tokens: tuple[str, ...]) -> str:
    names = frozenset(program_names(tokens[0]))
    if len(tokens) == 1 and names & (_TOO_MUCH_ALONE | _INTERPRETERS):
        return f"{tokens[0]} alone would allow too much. Add the next word of the command."
    if any(_begins(tokens, words) and _is_open(tokens[len(words) :], words) for words in _NEEDS_MORE):
        return f"{' '.join(tokens)} alone would allow too much. Add the next word of the command."
    if names & _TOO_MUCH_ALONE and not names & (_INTERPRETERS | {"java"}) and not _after_options(tokens):
        return f"{' '.join(tokens)} names no command of {tokens[0]}. Add the next word of the command."
    if names & _INTERPRETERS and (fault := _interpreter_fault(tokens, names)):
        return fault
    if "java" in names and tokens[1].startswith("-") and (tokens[1] != "-jar" or len(tokens) < 3):
        return "A rule for java names a file of the lane, or -jar and a file."
    inner = inner_tokens(tokens)
    if inner is None:
        return ""
    if not inner:
        return f"{' '.join(tokens)} runs any program. Add the one that it runs."
    return "" if tokens[1] == "-m" else _plain_problem(inner)


def _is_open(more: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a prefix that needs one more word leaves open what it runs. Git's own options are words enough."""
    if words[0] == "git" or not more:
        return not more
    return more[0].startswith("-") and (more[0] != "-m" or len(more) < 2)


def _after_options(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """What is left behind the program's own options, each of which may take the next word as its value."""
    at = 1
    while at < len(tokens) and tokens[at].startswith("-"):
        at += 1 if _FLAG.fullmatch(tokens[at]) or tokens[at] in _FLAGS_OF_LAUNCHERS else 2
    return tokens[at:]


def _interpreter_fault(tokens: tuple[str, ...], names: frozenset[str]) -> str:
    if "python" in names and tokens[1] == "-m":
        if len(tokens) < 3 or not _MODULE.fullmatch(tokens[2]):
            return f"{tokens[0]} -m needs the name of a module."
        if tokens[2].split(".")[0].casefold() in _CODE_MODULES:
            return f"The module {tokens[2]} runs whatever code it is given."
        return ""
    if tokens[1].startswith("-") or _leads_out(tokens[1]):
        return f"A rule for {tokens[0]} names a script of the lane as its second word."
    return ""


def lane_script(tokens: Sequence[str]) -> str:
    """The file of the lane that these tokens name as their program, by a path from the lane root; "" if none."""
    if "/" in tokens[0]:
        return tokens[0]
    if inner := inner_tokens(tokens):
        return lane_script(inner) if tokens[1] != "-m" else ""
    names = frozenset(program_names(tokens[0]))
    return tokens[1] if names & _INTERPRETERS and len(tokens) > 1 and not tokens[1].startswith("-") else ""


def _leads_out(path: str) -> bool:
    return path.startswith(("/", "~")) or ".." in path.split("/")


def _begins(tokens: Sequence[str], words: tuple[str, ...]) -> bool:
    if len(tokens) < len(words) or tuple(tokens[1 : len(words)]) != words[1:]:
        return False
    return words[0] in program_names(tokens[0])
