"""Variables that are set for one command, `NAME=value` before its program, as words of a rule (gate-R12)."""

import re
import shlex
from collections.abc import Sequence
from functools import cache, lru_cache

ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=", re.ASCII)


@cache
def _any_of(words: str) -> re.Pattern[str]:
    """Any of these; made when it is asked for, as a start needs none."""
    return re.compile("|".join(words.split()))


_HARMLESS = (
    "PYTHONPATH NODE_PATH PERL5LIB RUBYLIB PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 "
    "PYTHONIOENCODING PYTHONFAULTHANDLER PYTHONDEVMODE PYTHONASYNCIODEBUG PYTHONTRACEMALLOC PYTHONNOUSERSITE NODE_ENV "
    "NODE_NO_WARNINGS NODE_DEBUG RUST_BACKTRACE RUST_LOG RUST_TEST_THREADS RUST_MIN_STACK CARGO_TERM_COLOR "
    "CARGO_INCREMENTAL CARGO_TARGET_DIR GOOS GOARCH GOMAXPROCS GOGC CGO_ENABLED PYTEST_DISABLE_PLUGIN_AUTOLOAD "
    "QT_QPA_PLATFORM TS_NODE_TRANSPILE_ONLY DOTNET_ENVIRONMENT DOTNET_NOLOGO DOTNET_CLI_TELEMETRY_OPTOUT"
)
"""Names of the families below that load nothing, or only what the rule itself names below the lane."""
_LOADS = (
    "PATH ENV IFS HOME PWD OLDPWD SHELL USER PS[0-4] CDPATH GLOBIGNORE POSIXLY_CORRECT VISUAL BROWSER TERM TERMCAP "
    "TMPDIR TEMP TMP CC CXX CPP LD AR AS NM FC RANLIB STRIP LUA_.* VIM.* EX.*RC MYVIMRC ERL_.* ELIXIR_.* LD_.* "
    "DYLD_.* GIT.* BASH.* ZSH.* SHELLOPTS ZDOTDIR PYTHON.* NODE.* PERL.* RUBY.* GEM_.* BUNDLE_.* JAVA.* _JAVA.* "
    "JDK_.* JRE_.* JVM_.* MAVEN_.* MVN.* GRADLE_.* SBT_.* KOTLIN_.* SCALA_.* ANT_.* CLASSPATH CARGO_.* RUST.* "
    "GO[A-Z]+ CGO_.* MAKE.* MFLAGS GNUMAKEFLAGS CMAKE_.* CTEST_.* NPM_.* YARN_.* PNPM_.* BUN_.* DENO_.* COREPACK_.* "
    "PIP_.* PIPX_.* UV_.* POETRY_.* PDM_.* HATCH_.* CONDA_.* VIRTUAL_ENV PYTEST_.* COVERAGE_.* TOX_.* NOX_.* PHP.* "
    "COMPOSER_.* JULIA_.* R_.* OPENSSL_.* SSL_.* SSH_.* GPG.* GNUPG.* XDG_.* DBUS_.* DISPLAY WAYLAND_.* GTK_.* QT_.* "
    "SDL_.* GDK_.* GIO_.* GST_.* MALLOC_.* GLIBC_.* GCONV_.* LOCPATH NLSPATH TERMINFO.* MAN.* LESS.* MORE RIPGREP_.* "
    "GREP_.* TAR_.* ZIP.* UNZIP.* GZIP XZ_.* DOCKER_.* COMPOSE_.* KUBE.* HELM_.* AWS_.* GOOGLE_.* CLOUDSDK_.* "
    "AZURE_.* TF_.* ANSIBLE_.* VAGRANT_.* PLAYWRIGHT_.* PUPPETEER_.* CHROME_.* ELECTRON_.* VSCODE_.* SUDO_.* EUID UID "
    "GROUPS PPID HIST.* INPUTRC FUNCNEST TIMEFORMAT PROMPT_.* MAIL.* CURL_.* WGET.* HOSTALIASES RES_OPTIONS "
    "LOCALDOMAIN DIRENV_.* ASDF_.* NVM_.* MISE_.* PROTO_.* PYENV_.* RBENV_.* VOLTA_.* BANKSMAN.* .*PROXY .*PRELOAD.* "
    ".*LOADER.* .*PLUGIN.* .*STARTUP.* .*STARTFILE.* .*_INIT .*INITFILE.* .*_?OPTS .*_?OPTIONS .*ADDOPTS .*_?ARGS "
    ".*FLAGS .*_CONFIG(_.*)? .*_CONF .*CONFIG .*RC .*RCFILE .*CONFIG_FILE .*_CONFIG_PATH .*CONFIG_DIR .*_HOME .*PATH "
    ".*LIB .*_ROOT .*_PREFIX .*_WRAPPER .*WRAPPER.* .*_RUNNER .*EXEC.* .*BINARY.* .*_BIN .*_CMD .*COMMAND.* .*_SHELL "
    ".*PAGER .*EDITOR .*HOOK.* .*_?HANDLER .*LAUNCHER.* .*TOOLCHAIN.* .*COMPILER.* .*LINKER.* .*INTERPRETER.* "
    ".*INDEX_URL.* .*REGISTRY.* .*MIRROR.* .*ASKPASS.* .*_RSH .*_SSH .*_?REQUIRE .*_ARCHIVES TS_NODE_.* DOTNET_.* "
    "CORECLR_.* COR_.* COMPLUS_.* MSBUILD.* NVIM_.* JUST_.*"
)
"""What programs, loaders and shells take code, settings, programs or ways to the network from."""
_SECRET = (
    ".*KEY .*KEY_.* .*TOKEN.* .*SECRET.* .*PASS(WORD|WD|PHRASE)?(_.*)? .*CREDENTIAL.* .*AUTH .*_PAT .*COOKIE.* .*_DSN"
)


def split_assignments(tokens: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The assignments that words begin with, and the other words."""
    at = 0
    while at < len(tokens) and ASSIGNMENT.match(tokens[at]):
        at += 1
    return tuple(tokens[:at]), tuple(tokens[at:])


@lru_cache(maxsize=512)
def assignment_problem(text: str) -> str:
    """Why a rule may not hold this assignment, in one sentence; "" when it may."""
    name, _, value = text.partition("=")
    large = name.upper()
    if not value.isprintable() or "$" in value or "`" in value:
        return f"What {name} is set to could be expanded by the program."
    if _any_of(_HARMLESS).fullmatch(large):
        return ""
    if _any_of(_LOADS).fullmatch(large):
        return f"{name} can change what a program loads or runs."
    if _any_of(_SECRET).fullmatch(large):
        return f"{name} may hold a secret, and rules are kept as plain text."
    return ""


def spelled(tokens: Sequence[str]) -> str:
    """The words as bash takes them for the same words: of an assignment only the value is quoted."""
    given, rest = split_assignments(tokens)
    parts = [
        f"{name}={shlex.quote(value) if value else ''}" for name, _, value in (one.partition("=") for one in given)
    ]
    return " ".join((*parts, shlex.join(rest)) if rest else parts)
