"""The output of a command, as far as the deny matcher must know it: literal texts, and where bytes came from."""

import re
from collections.abc import Callable, Container
from functools import lru_cache
from urllib.parse import urlsplit

from desktop.policy.shell.deny.call import (
    DECODED,
    FETCHED,
    Call,
    clustered_values,
    is_unknown,
    marks_of,
    option_values,
    static,
    unmarked,
)
from desktop.policy.shell.deny.reader.builtins import found_paths
from desktop.policy.shell.deny.reader.nodes import SOME
from desktop.policy.shell.deny.reader.scope import Scope
from desktop.policy.shell.deny.reader.text import echoed, printed
from desktop.policy.shell.deny.reader.wrap import interpreter
from desktop.policy.shell.deny.reader.wrap_tables import INTERPRETERS, SHELLS

FETCHERS = {
    "curl", "wget", "wget2", "fetch", "aria2c", "http", "https", "httpie", "xh", "xhs", "curlie", "lynx", "w3m",
    "links",
    "elinks", "axel", "nc", "ncat", "netcat", "telnet", "socat", "ftp", "lftp", "tftp", "sftp", "scp", "ssh", "openssl",
    "websocat", "wscat", "dig", "nslookup", "host", "drill", "ipfs", "gsutil", "s3cmd", "mc", "rclone", "get",
    "lwp-request",
    "lwp-download", "iwr", "invoke-webrequest", "irm", "invoke-restmethod", "certutil", "bitsadmin", "gopher", "finger",
    "pwncat", "git-remote-http",
}  # fmt: skip
_CLOUD_READS = {
    "aws": ("s3", "s3api"),
    "gh": ("api", "gist", "release"),
    "gcloud": ("storage",),
    "az": ("storage",),
    "glab": ("api",),
    "oci": ("os",),
}
_DECODERS = {
    "gunzip",
    "zcat",
    "gzcat",
    "bzcat",
    "bunzip2",
    "xzcat",
    "unxz",
    "zstdcat",
    "unzstd",
    "lzcat",
    "unlzma",
    "lz4cat",
    "uudecode",
    "funzip",
    "uncompress",
}
_DECODES_WITH = {
    "base64": {"d", "D", "--decode", "i"},
    "base32": {"d", "D", "--decode"},
    "basenc": {"d", "--decode"},
    "gbase64": {"d", "--decode"},
    "base58": {"d"},
    "xxd": {"r", "--revert"},
    "openssl": {"d"},
    "gzip": {"d", "--decompress"},
    "bzip2": {"d"},
    "xz": {"d"},
    "zstd": {"d"},
    "lz4": {"d"},
    "lzma": {"d"},
    "gpg": {"d", "--decrypt"},
    "age": {"d", "--decrypt"},
    "ccrypt": {"d"},
    "brotli": {"d"},
    "7z": set(),
    "pigz": {"d"},
    "qprint": {"d"},
    "recode": {"d"},
    "basez": {"d"},
    "certutil": {"decode", "d"},
}
_PASSES = {
    "cat", "tac", "head", "tail", "sort", "uniq", "less", "more", "bat", "nl", "pv", "sponge", "dd", "strings",
    "grep", "egrep",
    "fgrep", "rg", "tee", "batcat", "zcat", "unbuffer", "iconv", "dos2unix", "fold", "expand", "jq", "yq", "column",
    "paste", "mbuffer",
    "buffer", "envsubst", "read", "ts", "col", "fmt", "shuf", "split",
}  # fmt: skip
_CHANGES = {
    "tr",
    "rev",
    "sed",
    "cut",
    "rot13",
    "caesar",
    "xxd",
    "perl",
    "awk",
    "gawk",
    "python",
    "python3",
    "ruby",
    "od",
    "bc",
    "m4",
    "base64",
    "base32",
    "xargs",
    "php",
    "node",
}
_DOWNLOADS = {
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "wget2": ("-O",),
    "aria2c": ("-o", "--out"),
    "fetch": ("-o",),
    "axel": ("-o", "--output"),
    "http": ("-o", "--output"),
    "https": ("-o", "--output"),
    "xh": ("-o",),
    "iwr": ("-outfile", "-OutFile", "-o"),
    "invoke-webrequest": ("-outfile", "-OutFile"),
    "lynx": (),
    "gh": ("-O", "-o"),
}
_COPIES = {"cp", "mv", "ln", "install", "rsync", "dd", "gcp"}


def output_of(call: Call, scope: Scope) -> str:
    """The text on standard output; files that the call writes are noted in the scope."""
    if not is_known(call.program):
        return SOME + (call.marks and marks_of(call.stdin, *call.args))
    if maker := _MAKERS.get(call.program):
        return maker(call, scope)
    _stores(call, scope)
    if is_fetch(call):
        return SOME + FETCHED
    if decodes(call):
        return SOME + DECODED + marks_of(call.stdin)
    if call.program in _PASSES:
        return _passed(call, scope)
    if call.program in _CHANGES or interpreter(call.program) in INTERPRETERS:
        literal = DECODED if call.stdin.strip() and not is_unknown(call.stdin) else ""
        return (call.stdin + " " if literal and call.program != "xargs" else "") + SOME + literal + marks_of(call.stdin)
    return SOME + marks_of(call.stdin, *call.args) if call.program not in SHELLS else SOME


def is_fetch(call: Call) -> bool:
    """Whether a call brings bytes from the network."""
    if call.program == "openssl":
        return "s_client" in call.args
    if call.program in _CLOUD_READS:
        return bool(call.args) and static(call.args[0]) in _CLOUD_READS[call.program]
    return call.program in FETCHERS and bool(call.args)


def decodes(call: Call) -> bool:
    """Whether a call turns encoded or packed bytes into what they hide."""
    if call.program in _DECODERS:
        return True
    wanted = _DECODES_WITH.get(call.program)
    if wanted is None:
        return False
    if call.program == "openssl":
        return "-d" in call.args
    return bool(call.parts[0] & wanted)


def _passed(call: Call, scope: Scope) -> str:
    found = call.stdin
    for word in call.args:
        path = scope.path(word.removeprefix("if="))
        if path in scope.files:
            found += scope.files[path]
    if call.program in {"tee", "sponge"}:
        for word in call.args:
            scope.store(word, call.stdin)
    return found + (SOME if len(call.args) and not found else "") or SOME


def _stores(call: Call, scope: Scope) -> None:
    """Files that hold downloaded or decoded bytes afterwards, and copies of such files."""
    if is_fetch(call):
        for path in downloads(call):
            scope.store(path, SOME + FETCHED)
    elif decodes(call):
        for word in [*call.args, *option_values(call.args, "-o", "-out", "--output")]:
            if not word.startswith("-") and word:
                scope.store(re.sub(r"\.(gz|bz2|xz|zst|lz4|gpg|b64)\Z", "", word), SOME + DECODED)
    elif call.program in _COPIES:
        operands = call.parts[1]
        contents = "".join(scope.files.get(scope.path(word), "") for word in operands[:-1])
        if contents and len(operands) > 1:
            target = operands[-1]
            scope.store(target, contents)
            scope.store(f"{target}/{unmarked(operands[0]).rpartition('/')[2]}", contents)


def downloads(call: Call) -> list[str]:
    """The files that a fetching call writes."""
    program, args = call.program, call.args
    found = clustered_values(args, *_DOWNLOADS.get(program, ("-o", "-O", "--output")))
    letters, operands = call.parts
    folder = next(
        iter(option_values(args, "-P", "--directory-prefix", "--output-dir", "-d" if program == "aria2c" else "-P")), ""
    )
    urls = [unmarked(word) for word in operands if "." in word or "/" in word]
    takes_name = program not in {"curl", "scp", "sftp", "ssh", "nc"} or letters & {
        "O",
        "--remote-name",
        "--remote-name-all",
    }
    if takes_name or program in {"scp", "sftp"}:
        for url in urls:
            name = urlsplit(url).path.rpartition("/")[2] if "://" in url else re.split(r"[/:]", url)[-1]
            found += [name, f"{folder}/{name}"] if name and folder else [name] if name else []
    if program in {"scp", "sftp", "gsutil", "aws", "rclone"} and len(operands) > 1:
        found += operands[-1:] + [f"{operands[-1]}/{word.rpartition('/')[2]}" for word in operands[:-1]]
    if folder:
        found += [f"{folder}/{name}" for name in found if "/" not in name]
    return [name for name in found if name not in {"-", ""}]


def _echo(call: Call, scope: Scope) -> str:
    return echoed(call.args)


def _printf(call: Call, scope: Scope) -> str:
    return printed(call.args)


def _find(call: Call, scope: Scope) -> str:
    return "\n".join(found_paths(call.args))


def _ls(call: Call, scope: Scope) -> str:
    operands = call.parts[1]
    if any(static(word).startswith("-") and "d" in word and not word.startswith("--") for word in call.args):
        return "\n".join(operands)
    return SOME


def _pwd(call: Call, scope: Scope) -> str:
    return scope.folder


def _which(call: Call, scope: Scope) -> str:
    return call.argv[-1] if len(call.argv) > 1 else SOME


def _mktemp(call: Call, scope: Scope) -> str:
    return "/".join(("", "tmp", f"tmp.{SOME}"))


def _realpath(call: Call, scope: Scope) -> str:
    operands = call.parts[1]
    return scope.path(operands[-1]) if operands else SOME


def _dirname(call: Call, scope: Scope) -> str:
    operands = call.parts[1]
    if not operands:
        return SOME
    return operands[-1].rstrip("/").rpartition("/")[0] or ("/" if operands[-1].startswith("/") else ".")


def _basename(call: Call, scope: Scope) -> str:
    operands = call.parts[1]
    return operands[0].rstrip("/").rpartition("/")[2] if operands else SOME


def _yes(call: Call, scope: Scope) -> str:
    return " ".join(call.args) or "y"


_MAKERS: dict[str, Callable[[Call, Scope], str]] = {
    "echo": _echo,
    "printf": _printf,
    "print": _echo,
    "find": _find,
    "fd": _find,
    "ls": _ls,
    "pwd": _pwd,
    "which": _which,
    "type": _which,
    "mktemp": _mktemp,
    "realpath": _realpath,
    "readlink": _realpath,
    "dirname": _dirname,
    "basename": _basename,
    "yes": _yes,
    "whence": _which,
}
_KNOWN: tuple[Container[str], ...] = (
    _MAKERS,
    FETCHERS,
    _CLOUD_READS,
    _DECODERS,
    _DECODES_WITH,
    _COPIES,
    _PASSES,
    _CHANGES,
    SHELLS,
    {"openssl"},
)


@lru_cache(maxsize=512)
def is_known(program: str) -> bool:
    """Whether something is known of a program's output beyond that its input may be in it."""
    return any(program in table for table in _KNOWN) or interpreter(program) in INTERPRETERS


@lru_cache(maxsize=512)
def stores(program: str) -> bool:
    """Whether some call of a program brings, unpacks or copies bytes that a later one could run."""
    return any(program in table for table in _STORING)


_STORING: tuple[Container[str], ...] = (
    FETCHERS,
    _CLOUD_READS,
    _DECODERS,
    _DECODES_WITH,
    _COPIES,
    {"openssl", "tee", "sponge"},
)
