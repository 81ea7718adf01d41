"""The hosts that a command needs by its own words: addresses of the web in it, registries of package managers."""

import re
from collections.abc import Iterable, Iterator, Sequence

from desktop.policy.network.hosts import AllowedHost, check_allowed
from desktop.policy.shell.verdict import ShellVerdict
from desktop.policy.shell.words.rule_tokens import inner_tokens, program_names

MOST_HOSTS = 3
"""A card offers no more than a person reads at a glance."""
_ADDRESS = re.compile(r"(?i)\b(https?)://(?:[^/\s@'\"]*@)?([a-z0-9_.-]+)(?::([0-9]{1,5}))?(?![a-z0-9_.@:-])")
_PORTS = {"http": "80", "https": ""}
_PYPI = ("pypi.org", "files.pythonhosted.org")
_REGISTRIES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("npm", "install i ci add update outdated view audit", ("registry.npmjs.org",)),
    ("pnpm", "install i add update outdated", ("registry.npmjs.org",)),
    ("yarn", "install add upgrade", ("registry.yarnpkg.com",)),
    ("pip", "install download", _PYPI),
    ("uv", "sync add lock pip", _PYPI),
    ("poetry", "install add update lock", _PYPI),
    ("cargo", "fetch add install update", ("index.crates.io", "static.crates.io")),
    ("go", "get mod install", ("proxy.golang.org", "sum.golang.org")),
    ("gem", "install update", ("rubygems.org", "index.rubygems.org")),
    ("bundle", "install update", ("rubygems.org", "index.rubygems.org")),
)
"""Program, its words that fetch, and where from unless it is set otherwise."""


def needed_hosts(text: str, verdict: ShellVerdict) -> tuple[str, ...]:
    """The hosts as a person types them for a list, each once, in order; () where none is named, or more than a person
    reads at a glance, or one may not be named or is this computer, to which no proxy leads. A dot before a name would
    be all hosts below it, so it is none."""
    found = dict.fromkeys((*_named(text), *_of_registries(command.argv for command in verdict.simple)))
    hosts = [check_allowed(one) for one in found if not one.startswith(".")]
    allowed = tuple(dict.fromkeys(one.text for one in hosts if isinstance(one, AllowedHost) and not one.is_local))
    return allowed if len(found) <= MOST_HOSTS and len(allowed) == len(found) else ()


def _named(text: str) -> Iterator[str]:
    for scheme, host, port in _ADDRESS.findall(text):
        port = port or _PORTS[scheme.lower()]
        yield f"{host}:{port}" if port else host


def _of_registries(lists: Iterable[Sequence[str]]) -> Iterator[str]:
    for argv in lists:
        words = inner_tokens(argv) or argv
        names = program_names(words[0]) if words else ()
        for program, verbs, hosts in _REGISTRIES:
            if program in names and next(iter(words[1:2]), "") in verbs.split():
                yield from hosts
