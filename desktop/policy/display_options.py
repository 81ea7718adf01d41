"""Options that let a program run something else, of programs that no allow rule can be made for (beside gate-R12)."""

import re
from collections.abc import Iterator, Sequence

from desktop.policy.shell.words.rule_tokens import program_names

_SSH_FLAGS = "46AaCfGgKkMNnqsTtVvXxYypr"
_SSH_OPTION = re.compile(rf"-[{_SSH_FLAGS}]*o(.*)", re.DOTALL)
_SSH_RUNS = frozenset(
    {
        "proxycommand",
        "localcommand",
        "permitlocalcommand",
        "knownhostscommand",
        "remotecommand",
        "pkcs11provider",
        "securitykeyprovider",
        "xauthlocation",
        "include",
        "proxyusefdpass",
        "sshaskpass",
    }
)
_SSH = ("ssh", "scp", "sftp", "autossh", "mosh", "sshfs", "ssh-copy-id")
_EDITORS = ("vi", "vim", "nvim", "gvim", "view", "ex", "rvim", "vimdiff")
_OPTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_SSH, ("-F",)),
    "scp": ("-F", "-S"),
    "sftp": ("-F", "-S"),
    "env": ("-S", "--split-string"),
    "perl": ("-e", "-E"),
    "ruby": ("-e",),
    "php": ("-r", "--run"),
    "lua": ("-e",),
    "luajit": ("-e",),
    "julia": ("-e", "-E", "--eval", "--print"),
    "rscript": ("-e",),
    "osascript": ("-e",),
    "groovy": ("-e",),
    "elixir": ("-e", "--eval"),
    "erl": ("-eval",),
    "ocaml": ("-e",),
    "guile": ("-c",),
    "racket": ("-e",),
    **dict.fromkeys(_EDITORS, ("-c", "--cmd", "-S")),
    "emacs": ("--eval", "--execute", "-f", "--funcall", "-l", "--load"),
    "gdb": ("-ex", "-x", "--eval-command", "--command"),
    "lldb": ("-o", "-s", "--one-line", "--source"),
}
_LONG_OPTION = re.compile(r"(--[\w-]+)(?:=.*)?", re.DOTALL)


def powerful_options(argv: Sequence[str]) -> Iterator[str]:
    """The options in a program's words that make it run or load what they name, each as it would be written alone."""
    names = set(program_names(argv[0])) if argv else set()
    for name in names & _OPTIONS.keys():
        for at, word in enumerate(argv[1:], 1):
            if word == "--":
                break
            if hit := _hit(_OPTIONS[name], word):
                yield hit
            elif name in _SSH and (key := _ssh_key(word, argv[at + 1 : at + 2])) in _SSH_RUNS:
                yield f"-o {key}"
            elif name in _EDITORS and word.startswith("+") and not word[1:].isdigit() and len(word) > 1:
                yield "+"


def _hit(options: Sequence[str], word: str) -> str:
    """The option that a word is: whole, with a value behind `=`, or a short one with its value attached."""
    if not word.startswith("-") or word == "-":
        return ""
    if long := _LONG_OPTION.fullmatch(word):
        return next((option for option in options if option == long[1]), "")
    if word in options:
        return word
    return next((option for option in options if len(option) == 2 and word.startswith(option)), "")


def _ssh_key(word: str, following: Sequence[str]) -> str:
    """The setting that `-oKey=value` or `-o "Key value"` sets, case-folded; "" for anything else."""
    match = _SSH_OPTION.fullmatch(word)
    if match is None:
        return ""
    setting = match[1] or (following[0] if following else "")
    return re.split(r"[\s=]", setting.strip(), maxsplit=1)[0].casefold()
