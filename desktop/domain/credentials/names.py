"""Names of variables under which a command may be given a secret, of headers that may hold one, and those that never
are or do (gate-K2, memory-CR4)."""

import re
from fnmatch import fnmatchcase

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_NEVER = (
    *("BASH*", "ENV", "PROMPT_COMMAND", "PS[0-9]", "IFS", "SHELL", "SHELLOPTS", "HOME", "USER", "LOGNAME", "TERM"),
    *("PWD", "OLDPWD", "CI", "NO_COLOR", "LANG", "LANGUAGE", "LC_*", "TMPDIR", "TMP", "TEMP", "PORT", "BANKSMAN*"),
    *("LD_*", "DYLD_*", "PYTHON*", "NODE_OPTIONS", "PERL*", "RUBYOPT", "GIT_*", "*PAGER", "EDITOR", "VISUAL", "LESS*"),
    *("JAVA_TOOL_OPTIONS", "*JAVA_OPTIONS", "GLIBC_TUNABLES", "RIPGREP_CONFIG_PATH", "SSH_AUTH_SOCK", "SSH_ASKPASS"),
    *("DBUS_*", "DISPLAY", "WAYLAND_*", "XDG_*", "*PROXY", "*PATH", "*LIB"),
)
"""Variables that make programs run, load or reach something else, and those that Banksman sets itself."""


_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,63}")
_HEADERS_NEVER = (
    *("HOST", "CONTENT-*", "TRANSFER-ENCODING", "CONNECTION", "KEEP-ALIVE", "TE", "TRAILER", "UPGRADE", "EXPECT"),
    *("PROXY-*", "SEC-*", "COOKIE*", "USER-AGENT", "ACCEPT*", "FORWARDED", "X-FORWARDED-*", "VIA", "DATE", "RANGE"),
    *("ORIGIN", "REFERER", "IF-*", "X-HTTP-METHOD*"),
)
"""Headers that say where a request goes, how it is read, or who sends it."""


def header_problem(name: str) -> str:
    """Why a secret is not sent in this header, "" when it may be."""
    if not _HEADER.fullmatch(name):
        return f"{name!r} is no name of a header: letters, digits and - are, at most 64"
    if any(fnmatchcase(name.upper(), pattern) for pattern in _HEADERS_NEVER):
        return f"A secret is never sent as {name}: that header says something else"
    return ""


def name_problem(name: str) -> str:
    """Why a secret is not given under this name, "" when it may be."""
    if not _NAME.fullmatch(name):
        return f"{name!r} is no name of a variable: letters, digits and _ are, at most 64"
    if any(fnmatchcase(name.upper(), pattern) for pattern in _NEVER):
        return f"A secret is never given as {name}: that changes what programs run or where they connect"
    return ""
