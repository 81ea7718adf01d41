"""The paths that an argument list would write, replace or delete."""

from functools import lru_cache

from desktop.policy.shell.deny.call import ANY, Call, clustered_values, option_values, static, unmarked, value_pieces

_ALL_OPERANDS = {
    "tee", "truncate", "shred", "sponge", "rm", "unlink", "rmdir", "srm", "wipe", "scrub", "nano", "vim", "vi",
    "nvim", "ex",
    "ed", "emacs", "pico", "micro", "joe", "mkfifo", "mknod", "del", "erase", "trash", "rimraf", "trash-put",
    "patch", "rename",
    "sqlite3", "tee-a", "del-cli", "gshred", "gtee", "grm", "badblocks", "remove-item", "set-content", "add-content",
    "out-file", "clear-content", "new-item", "xattr", "touch", "fallocate", "chsh", "crudini", "augtool", ANY,
}  # fmt: skip
_AFTER_MODE = {
    "chmod",
    "chown",
    "chgrp",
    "setfacl",
    "chattr",
    "chflags",
    "chcon",
    "setcap",
    "icacls",
    "takeown",
    "gchmod",
    "gchown",
}
_LAST = {
    "cp",
    "mv",
    "ln",
    "install",
    "rsync",
    "scp",
    "gcp",
    "gmv",
    "ditto",
    "copy",
    "move",
    "xcopy",
    "robocopy",
    "cpio",
    "link",
    "copy-item",
    "move-item",
    "symlink",
    "pv",
    "ddrescue",
    "dcfldd",
}
_TO_SECOND = {"xxd", "uniq", "split", "objcopy"}
_OTHERS = {"dcfldd", "zip", "mkdir", *_TO_SECOND, ANY}
_IN_PLACE = {"sed", "gsed", "perl", "ruby", "yq", "awk", "gawk", "ssed"}
_UNCLUSTERED = {
    "gcc",
    "cc",
    "clang",
    "g++",
    "c++",
    "clang++",
    "go",
    "find",
    "openssl",
    "7z",
    "ffmpeg",
    "ld",
    "ssh-keygen",
}
"""Their options are single words, not clusters of letters."""
MAX_TARGETS = 600
_TARS = {"tar", "gtar", "bsdtar"}
_TAR_VALUED = "fCTbgKNVXHLIF"
_REWRITES = ("--transform", "--xform")
"""Options that make other names of what an archive holds."""
_OUTPUT_OPTIONS: dict[str, tuple[str, ...]] = {
    "curl": ("-o", "--output", "--output-dir", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--stderr"),
    "wget": ("-O", "--output-document", "-P", "--directory-prefix", "-o", "-a"), "aria2c": ("-o", "-d", "--dir",
    "--out"),
    "tar": ("-C", "--directory", "--one-top-level"), "bsdtar": ("-C", "--directory"),
    "gtar": ("-C", "--directory"), "unzip": ("-d",), "sort": ("-o", "--output"), "gpg": ("-o",
    "--output"),
    "openssl": ("-out", "-keyout"), "git": ("-o", "--output"), "tree": ("-o",), "iconv": ("-o",), "xz": (),
    "7z": ("-o",),
    "base64": ("-o",), "jq": (), "go": ("-o",), "gcc": ("-o",), "cc": ("-o",), "clang": ("-o",), "pandoc": ("-o",),
    "ffmpeg": (), "script": (), "age": ("-o",), "find": ("-fprint", "-fprintf", "-fprint0", "-fls"), "strace": ("-o",),
    **dict.fromkeys(("cp", "mv", "ln", "install", "gcp", "gmv"), ("-t", "--target-directory")),
    "rsync": ("--backup-dir", "--log-file", "--partial-dir", "--temp-dir"),
    "cpio": ("-D", "--directory", "-O", "--file"), "csplit": ("-f", "--prefix"), "shuf": ("-o", "--output"),
    **dict.fromkeys(("ld", "g++", "c++", "clang++"), ("-o",)),
    "zstd": ("-o", "--output-dir-flat"), "brotli": ("-o", "--output"), "docker": ("-o", "--output"),
    "podman": ("-o", "--output"), "tsc": ("--outDir", "--outFile", "--declarationDir"),
    "time": ("-o", "--output"), "sops": ("--output",), "http": ("-o", "--output"), "xh": ("-o",), "axel": ("-o",),
    "patch": ("-o", "-r", "-d"), "ssh-keygen": ("-f",), "dd": (), "vim": ("-o",),
}  # fmt: skip


def written_paths(call: Call) -> list[str]:
    """Paths as given: redirect targets, and what the program itself writes, replaces, changes or deletes."""
    if call.written is None:
        own = _of_program(call) if writes_by_itself(call.program) else []
        call.written = [path for path in [*call.writes, *own] if static(path) not in {"", "-"}]
    return call.written


@lru_cache(maxsize=512)
def writes_by_itself(program: str) -> bool:
    """Whether some call of a program writes a file that its words name."""
    return any(program in table for table in (_ALL_OPERANDS, _AFTER_MODE, _LAST, _IN_PLACE, _OUTPUT_OPTIONS, _OTHERS))


def _of_program(call: Call) -> list[str]:
    program, args = call.program, call.args
    found = _option_targets(program, args)
    letters, operands = call.parts
    if program == "ssh-keygen" and call.words[:1] in (["-l"], ["-lf"]):
        return []
    if program in _ALL_OPERANDS:
        found += operands
    elif program in _AFTER_MODE:
        found += operands if "--reference" in letters else [word for word in _after_mode(args, operands)]
    elif program in _LAST and operands:
        found += _copied(program, operands, found)
    elif program in _IN_PLACE and (letters & {"i", "--in-place", "--inplace"} or "inplace" in operands):
        found += operands
    if program in {"dd", "dcfldd", ANY}:
        found += [word[3:] for word in args if unmarked(word).startswith("of=")]
    if program in _TO_SECOND and len(operands) > 1:
        found.append(operands[1])
    if program in {"tar", "bsdtar", "zip", "7z"}:
        found += _archived(program, args, operands)
    if program in {"script", "mkdir"}:
        found += operands[:1] if program == "script" else []
    return found


def _option_targets(program: str, args: list[str]) -> list[str]:
    """What options name to be written, with every piece of a value that may be a path. The first is the target.

    Raises:
        OverflowError: there is more than can be judged in time.
    """
    names = _OUTPUT_OPTIONS.get(program, ())
    values = option_values(args, *names) if program in _UNCLUSTERED else clustered_values(args, *names)
    if program in _TARS and args and not args[0].startswith("-"):
        values += _old_style_values(args)
    pieces = [piece for value in [*values, *option_values(args, *_REWRITES)] for piece in value_pieces(value)]
    if len(pieces) > MAX_TARGETS:
        raise OverflowError
    return list(dict.fromkeys([*values, *pieces]))


def _old_style_values(args: list[str]) -> list[str]:
    """The folder of `tar xfC a.tar folder`: letters without a dash take the words behind them in their order."""
    takers = [letter for letter in static(args[0]) if letter in _TAR_VALUED]
    return [value for letter, value in zip(takers, args[1:], strict=False) if letter == "C"]


def _after_mode(args: list[str], operands: list[str]) -> list[str]:
    """Operands of chmod and its like: the mode may look like an option (`-w`)."""
    mode_is_option = any(word[:1] == "-" and word[1:2] and set(word[1:]) <= set("rwxXst,") for word in args)
    return operands if mode_is_option else operands[1:]


def _copied(program: str, operands: list[str], targets: list[str]) -> list[str]:
    target = targets[0] if targets else operands[-1]
    sources = operands if targets else operands[:-1]
    into = [f"{target}/{unmarked(source).rstrip('/').rpartition('/')[2]}" for source in sources]
    moved = sources if program in {"mv", "gmv", "move", "move-item"} else []
    return [target, *into, *moved]


def _archived(program: str, args: list[str], operands: list[str]) -> list[str]:
    if program in {"zip", "7z"}:
        return operands[:1]
    first = static(args[0]).lstrip("-") if args else ""
    if "c" not in first or not set(first) <= set("cvzjJfphaWPtSZul"):
        return option_values(args, "--file") if "--create" in args else []
    return operands[1:2] if not static(args[0]).startswith("-") else operands[:1]
