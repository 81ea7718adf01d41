"""Options that make a program run something else or act elsewhere, so that no prefix rule covers them (gate-R12)."""

from collections.abc import Iterable, Sequence

from desktop.domain.base import Frozen
from desktop.policy.shell.rule_tokens import inner_tokens, program_names


class OptionRow(Frozen):
    """The dangerous options of one program.

    `short`: letters, also inside a cluster. `long`: names with their dashes; one that ends in `*` stands for all that
    begin so; every abbreviation of a name is meant too. `single`: one dash and a whole name (`-exec`), two dashes mean
    the same. `valued`: letters whose value may be attached, so the rest of a cluster is no option. `harmless`: real
    options that look like an abbreviation. `any_dashes`: the number of dashes means nothing. `first_letters`:
    beginnings of words that are not options. `targets`: further words name targets or set variables. `bare_cluster`:
    the first word is a cluster without a dash. `exact`: it knows no abbreviations. `before_dashes`: letters of `short`
    that mean something else behind `--`, where the words are for another program.
    """

    short: str = ""
    long: tuple[str, ...] = ()
    single: tuple[str, ...] = ()
    valued: str = ""
    harmless: tuple[str, ...] = ()
    any_dashes: bool = False
    first_letters: tuple[str, ...] = ()
    targets: bool = False
    bare_cluster: bool = False
    exact: bool = False
    before_dashes: str = ""


_GIT = OptionRow(
    short="cCpOx",
    long=(
        "--exec-path", "--git-dir", "--work-tree", "--config-env", "--output*", "--ext-diff", "--textconv",
        "--open-files-in-pager", "--exec", "--extcmd", "--upload-pack", "--receive-pack", "--upload-archive",
        "--no-verify", "--template", "--separate-git-dir", "--super-prefix", "--namespace", "--unsafe-paths",
        "--smtp-server*", "--sendmail-cmd", "--to-cmd", "--cc-cmd", "--header-cmd",
    ),
    harmless=("--text", "--name", "--no"),
    first_letters=("ext::", "fd::"),
)  # fmt: skip
_NODE_PACKAGES = (
    "--prefix", "--dir", "--cwd", "--script-shell", "--shell", "--node-options", "--userconfig", "--globalconfig",
    "--registry", "--ignore-workspace", "--global", "--location", "--git", "--onload-script", "--config.*",
    "--pnpmfile", "--global-pnpmfile", "--use-yarnrc", "--preload",
)  # fmt: skip
_NPM = OptionRow(
    short="Cg", before_dashes="g", long=_NODE_PACKAGES, any_dashes=True, valued="w",
    harmless=("--config", "--ignore", "--glob"),
)  # fmt: skip
_BUN = OptionRow(short="Cr", before_dashes="r", long=(*_NODE_PACKAGES, "--eval"), harmless=("--config", "--ignore"))
_PIP = OptionRow(
    short="ifte",
    long=(
        "--index-url", "--extra-index-url", "--find-links", "--target", "--prefix", "--root", "--editable",
        "--config-settings", "--python", "--trusted-host", "--proxy", "--src", "--global-option", "--build-option",
        "--install-option", "--with*", "--directory", "--project", "--index", "--default-index", "--config-file",
        "--env-file", "--pypi-url", "--config-setting",
    ),
    valued="rc",
    harmless=("--pre",),
)  # fmt: skip
_DOCKER = OptionRow(
    short="vH",
    long=(
        "--privileged", "--volume", "--volumes-from", "--mount", "--device", "--pid", "--cap-add", "--security-opt",
        "--host", "--config", "--context", "--userns", "--build-context",
    ),
    exact=True,
    valued="efpwutm",
)  # fmt: skip

_COMPILER = OptionRow(
    single=("-wrapper", "-fplugin*", "-specs*", "-B*", "-fuse-ld*", "-load*", "-Xclang"),
    exact=True,
    first_letters=("@",),
)

ROWS: dict[str, OptionRow] = {
    "git": _GIT,
    "find": OptionRow(
        single=("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint*", "-fls", "-files0-from"),
        harmless=("-e", "-f", "-o", "-d"),
    ),
    "fd": OptionRow(short="xX", long=("--exec", "--exec-batch"), valued="etdEcjS"),
    "rg": OptionRow(
        short="zf",
        long=("--pre", "--pre-glob", "--hostname-bin", "--search-zip", "--file", "--ignore-file"),
        valued="ABCegmtTMrjEd",
    ),
    "grep": OptionRow(short="zf", long=("--file",), valued="ABCem"),
    "sort": OptionRow(
        short="oT",
        long=("--output", "--compress-program", "--temporary-directory", "--files0-from"),
        valued="ktS",
    ),
    "tar": OptionRow(
        short="IFP",
        long=(
            "--use-compress-program", "--checkpoint-action", "--to-command", "--info-script", "--new-volume-script",
            "--rsh-command", "--rmt-command", "--absolute-names",
        ),
        valued="fCTbgKNVXHL",
        harmless=("--checkpoint",),
        bare_cluster=True,
    ),
    "zip": OptionRow(short="T", long=("--unzip-command", "--test"), single=("-TT",)),
    "rsync": OptionRow(short="eM", long=("--rsh", "--rsync-path", "--daemon", "--remote-option", "--config"),
                       valued="fBT"),
    "npm": _NPM,
    "pnpm": _NPM,
    "yarn": _NPM,
    "bun": _BUN,
    "pip": _PIP,
    "uv": _PIP,
    "make": OptionRow(
        short="fCIE",
        long=("--file", "--makefile", "--directory", "--eval", "--include-dir"),
        valued="oW",
        targets=True,
    ),
    "cmake": OptionRow(short="PEC", valued="DUGSBATLWj"),
    "ninja": OptionRow(short="Cf", valued="jkldt", targets=True),
    "just": OptionRow(
        short="fdce",
        long=(
            "--justfile", "--working-directory", "--set", "--shell*", "--command", "--chooser", "--dotenv-path",
            "--dotenv-filename", "--edit", "--global-justfile", "--cygpath",
        ),
        targets=True,
    ),
    "task": OptionRow(short="tdg", long=("--taskfile", "--dir", "--global", "--entrypoint"), targets=True),
    "rake": OptionRow(
        short="frIepERg",
        long=("--rakefile", "--require", "--libdir", "--execute*", "--rakelibdir", "--system", "--rakelib"),
        targets=True,
    ),
    "gradle": OptionRow(
        short="bIpcDg",
        long=(
            "--build-file", "--init-script", "--project-dir", "--settings-file", "--system-prop", "--gradle-user-home",
            "--include-build", "--project-cache-dir",
        ),
        valued="xPM",
        targets=True,
    ),
    "mvn": OptionRow(
        single=("-f*", "-s*", "-l*", "-t*", "-gs*", "-gt*", "-D*"),
        long=(
            "--file", "--settings", "--global-settings", "--toolchains", "--global-toolchains", "--log-file",
            "--define",
        ),
        harmless=("-fae", "-ff", "-fn", "-g"),
        targets=True,
    ),
    "cargo": OptionRow(
        short="Z",
        long=("--config", "--manifest-path", "--target-dir", "--lockfile-path", "--artifact-dir", "--out-dir"),
        valued="pFjC",
        harmless=("--target",),
    ),
    "go": OptionRow(
        single=("-exec", "-toolexec", "-C", "-modfile", "-overlay", "-ldflags", "-o", "-vettool", "-gccgoflags"),
        harmless=("-mod", "-g", "-e", "-t", "-l", "-v", "-m", "-vet"),
    ),
    "pytest": OptionRow(
        short="pco",
        long=(
            "--rootdir", "--confcutdir", "--pyargs", "--import-mode", "--override-ini", "--config-file", "--tx",
            "--pdbcls", "--basetemp", "--pastebin", "--rsyncdir", "--cov-config", "--px",
        ),
        valued="kmnrW",
        harmless=("--co", "--pdb", "--cov"),
        first_letters=("@",),
    ),
    "python": OptionRow(short="cmiX", valued="W"),
    "node": OptionRow(
        short="epr",
        long=(
            "--require", "--import", "--loader", "--experimental-loader", "--eval", "--print", "--env-file*",
            "--experimental-config-file", "--openssl-config", "--inspect*",
        ),
    ),
    "man": OptionRow(short="PHC", long=("--pager", "--html", "--config-file"), valued="LmMSseErRT"),
    "less": OptionRow(
        short="oOk", long=("--log-file", "--lesskey*"), valued="bhjpPtTxyzD", first_letters=("+",)
    ),
    "tox": OptionRow(short="xc", long=("--override", "--conf", "--workdir", "--root"), exact=True),
    "nox": OptionRow(short="f", long=("--noxfile",), exact=True),
    "bazel": OptionRow(long=("--run-under", "--workspace-status-command", "--action-env", "--override*"), exact=True),
    "ctest": OptionRow(short="S", long=("--script", "--build-and-test"), exact=True),
    "gcc": _COMPILER,
    "cc": _COMPILER,
    "clang": _COMPILER,
    "rustc": OptionRow(short="CZ", long=("--codegen", "--sysroot"), valued="oLl", exact=True, first_letters=("@",)),
    "javac": OptionRow(single=("-J*", "-processor*", "-Xplugin*"), exact=True, first_letters=("@",)),
    "docker": _DOCKER,
    "podman": _DOCKER,
    "kubectl": OptionRow(long=("--kubeconfig",), exact=True),
    "mypy": OptionRow(long=("--python-executable",), exact=True),
}  # fmt: skip
"""By program name as `program_names` gives it: the table of gate-R12, and options with the same power beside it."""

_EVERYWHERE = OptionRow(
    long=("--exec", "--exec-batch", "--eval", "--pager", "--rsh", "--use-compress-program", "--to-command",
          "--script-shell", "--toolexec"),
    exact=True,
)  # fmt: skip
_GIT_SHORT = {
    "commit": "n",
    "push": "fd",
    "clone": "u",
    "archive": "o",
    "format-patch": "o",
    "difftool": "t",
    "mergetool": "t",
}
_GIT_LONG = {
    "push": ("--force*", "--mirror", "--delete", "--prune"),
    "reset": ("--hard",),
    "clean": ("--force",),
    "branch": ("--delete", "--force"),
    "tag": ("--delete", "--force"),
    "checkout": ("--force",),
    "switch": ("--force", "--discard-changes"),
}
_GIT_VALUED = {
    "commit": "mF", "tag": "mF", "merge": "m", "stash": "m", "log": "SGLUn", "show": "SGLU", "diff": "SGU",
    "notes": "m", "blame": "L",
}  # fmt: skip
_PLAIN_PROPERTIES = ("-Dtest=", "-DskipTests", "-DskipITs", "-Dit.test=", "-Dmaven.test.skip", "-DfailIfNoTests")


def option_rows(tokens: Sequence[str]) -> tuple[OptionRow, ...]:
    """The rows that speak about a command with this prefix: of its program and, behind a launcher, of the inner one."""
    found = [row for program in _programs(tokens) for row in _row(program, tokens)]
    return (*found, _EVERYWHERE)


def behind_dashes(rows: Iterable[OptionRow]) -> tuple[OptionRow, ...]:
    """The rows as they hold for words that stand behind `--`."""
    return tuple(
        row.model_copy(update={"short": row.short.replace(row.before_dashes, "")}) if row.before_dashes else row
        for row in rows
    )


def dangerous_option(rows: Iterable[OptionRow], word: str) -> str:
    """The dangerous option that this word is or holds, "" if none. Every spelling counts: in a cluster, with its value
    attached, behind `=`, abbreviated."""
    return next((hit for hit in (_hit(row, word) for row in rows) if hit), "")


def bare_cluster_option(rows: Iterable[OptionRow], word: str) -> str:
    """The dangerous option in the first word behind the program, where that is a cluster of options even without a
    dash; "" if none."""
    letters = {letter for row in rows if row.bare_cluster for letter in row.short}
    return next((f"-{letter}" for letter in word if letter in letters), "")


def names_target(rows: Iterable[OptionRow], word: str) -> bool:
    """Whether the word would name another target of a runner, or set a variable of it."""
    return any(row.targets for row in rows) and (not word.startswith("-") or word == "-")


def _programs(tokens: Sequence[str]) -> list[str]:
    programs = [tokens[0]]
    inner = inner_tokens(tokens)
    while inner:
        programs.append(inner[0])
        inner = inner_tokens(inner)
    return programs


def _row(program: str, tokens: Sequence[str]) -> tuple[OptionRow, ...]:
    row = next((ROWS[name] for name in program_names(program) if name in ROWS), None)
    if row is None:
        return ()
    if row is _GIT:
        sub = tokens[1] if len(tokens) > 1 else ""
        more = {
            "short": _GIT.short + _GIT_SHORT.get(sub, ""),
            "valued": _GIT_VALUED.get(sub, ""),
            "long": (*_GIT.long, *_GIT_LONG.get(sub, ())),
            "first_letters": (*_GIT.first_letters, *(("+", ":") if sub == "push" else ())),
        }
        return (_GIT.model_copy(update=more),)
    if row is ROWS["python"] and "-m" in tokens:  # a further -m is the module's own
        return (row.model_copy(update={"short": row.short.replace("m", "")}),)
    return (row,)


def _hit(row: OptionRow, word: str) -> str:
    if not word.startswith("-") or word in ("-", "--"):
        return next((word for begin in row.first_letters if word.startswith(begin)), "")
    if row is ROWS["mvn"] and word.startswith(_PLAIN_PROPERTIES):
        return ""
    name = word.partition("=")[0].replace("_", "-")
    return _whole_name(row, name) or ("" if name.startswith("--") else _in_cluster(row, word[1:]))


def _whole_name(row: OptionRow, name: str) -> str:
    bare = name.lstrip("-")
    if row.any_dashes and bare in tuple(row.short):
        return f"-{bare}"
    if name.startswith("--") or (row.any_dashes and len(bare) > 2):
        long = f"--{bare}".casefold()
        if hit := _meant(row, long, row.long):
            return hit
    return _meant(row, f"-{bare}", row.single)


def _meant(row: OptionRow, name: str, options: Sequence[str]) -> str:
    if name in row.harmless or not name.strip("-"):
        return ""
    for option in options:
        family = option.endswith("*") and name.startswith(option[:-1])
        if family or name == option or (not row.exact and option.rstrip("*").startswith(name)):
            return option.rstrip("*.")
    return ""


def _in_cluster(row: OptionRow, letters: str) -> str:
    for letter in letters:
        if letter in row.short:
            return f"-{letter}"
        if letter in row.valued or letter == "=":
            return ""
    return ""
