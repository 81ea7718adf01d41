"""D-shell-back: a shell joined to the network."""

import re

from desktop.patterns import Pattern
from desktop.policy.shell.deny.call import ANY, Call, DenyPlaces, static, unmarked
from desktop.policy.shell.deny.reader.wrap_tables import SHELLS
from desktop.policy.shell.verdict import DenyHit

_NETCATS = {
    "nc",
    "ncat",
    "netcat",
    "nc.traditional",
    "nc.openbsd",
    "rcat",
    "pwncat",
    "pwncat-cs",
    "cryptcat",
    "dbd",
    "sbd",
    "powercat",
    ANY,
}
_JOINS = {"nc", "ncat", "netcat", "telnet", "openssl", "socat", "nc.traditional", "nc.openbsd", "websocat", "cryptcat"}
_EXEC_OPTIONS = {"--exec", "--sh-exec", "--lua-exec", "-e", "-c"}
_SHORT_EXEC = Pattern(r"-[A-Za-z0-9]*[ec]")
_ATTACHED_EXEC = Pattern(r"-[lvnpkuzw]*[ec]/")
_DEVICE = Pattern(r"/dev/(?:tcp|udp)/", re.IGNORECASE)
_SOCAT = Pattern(r"\A(?:exec|system|shell)\b\s*:|\b(?:exec|system|shell):", re.IGNORECASE)
PROGRAMS = frozenset({*_NETCATS, "socat", "ztcp", "xterm"})
"""The programs that may join a shell to the network by themselves."""
_REASON = "It would give a shell on this machine to another one."


def back_hits(call: Call, _places: DenyPlaces) -> list[DenyHit]:
    """Whether a call alone joins a shell to the network."""
    if call.remote:
        return []
    if any(_DEVICE.search(unmarked(path)) for path in [*call.writes, *call.reads]):
        return [call.hit("D-shell-back", "It would open a network connection from the shell itself.")]
    words = call.words
    if call.program in _NETCATS and _executes(words, any_program=call.program == ANY):
        return [call.hit("D-shell-back", _REASON)]
    if call.program in {"socat", ANY} and any(_SOCAT.search(word) for word in words):
        return [call.hit("D-shell-back", _REASON)]
    if call.program in {"ztcp", "xterm"} and (
        call.program == "ztcp" or any(re.match(r".*:\d+\Z", word) for word in words)
    ):
        return [call.hit("D-shell-back", _REASON)]
    return []


def _executes(words: list[str], *, any_program: bool) -> bool:
    for index, word in enumerate(words):
        name = word.partition("=")[0]
        short = _SHORT_EXEC.fullmatch(word) is not None and not word.startswith("--")
        attached = _ATTACHED_EXEC.match(word) is not None
        if not (name in _EXEC_OPTIONS or short or attached):
            continue
        value = words[index + 1] if index + 1 < len(words) else ""
        if not any_program or "/" in value or value in SHELLS:
            return not any_program or value.rpartition("/")[2] in SHELLS
    return False


def _connects(call: Call) -> bool:
    return call.program != "openssl" or "s_client" in call.args


def fifo_hits(calls: list[Call]) -> list[DenyHit]:
    """Whether a line joins a shell and a network program through a fifo, or a pipe in both directions."""
    joins = [call for call in calls if call.program in _JOINS and not call.remote and _connects(call)]
    if not joins:
        return []
    local = [call for call in calls if not call.remote]
    shells = [call for call in local if call.program in SHELLS]
    fifos = [call for call in local if call.program in {"mkfifo", "mknod"}]
    interactive = [
        call for call in shells if any(static(word).startswith("-") and "i" in static(word) for word in call.args)
    ]
    if shells and (fifos or interactive or any("coproc" in call.argv[:1] for call in local)):
        return [joins[0].hit("D-shell-back", _REASON)]
    return []
