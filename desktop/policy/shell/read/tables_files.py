"""Programs that look at files and folders, or at nothing, and the options with which they only read (gate 6.1)."""

from desktop.policy.shell.read.options import Row

_EXA = Row(
    "-1lGxRTFaAdDrbBgHhimSUu -L# -I= -s= --oneline --long --grid --across --recurse --tree --all --list-dirs --level#"
    " --reverse --sort= --group-directories-first --git-ignore --ignore-glob= --only-dirs --binary --bytes --group"
    " --header --inode --no-permissions --no-filesize --no-user --no-time --color=",
    shows=False,
)
FILE_ROWS: dict[str, Row] = {
    "ls": Row(
        "-1aAbBcCdFgGhHiklLmnNopqQrRsStuUvxXZ -D! -T! -I% -w# --all --almost-all --author --block-size= --classify:"
        " --color: --directory --format= --full-time --group-directories-first --human-readable --inode --recursive"
        " --reverse --si --size --sort= --time= --time-style=",
        shows=False,
        bare_globs=True,
    ),
    "pwd": Row("-LP", operands="none"),
    "true": Row(operands="none"),
    "false": Row(operands="none"),
    "whoami": Row(operands="none"),
    "nproc": Row(operands="none"),
    "arch": Row(operands="none"),
    "tty": Row(operands="none"),
    "uptime": Row(operands="none"),
    "id": Row("-ugGn", operands="none"),
    "uname": Row("-asnrvmpio", operands="none"),
    "hostname": Row("-sf", operands="none"),
    "which": Row("-a", operands="text"),
    "type": Row("-tap", operands="text"),
    "basename": Row("-a -s=", operands="text"),
    "dirname": Row(operands="text"),
    "seq": Row("-w -s~ -f=", operands="text", counts=True),
    "cat": Row("-AbeEnstTuv", bare_globs=True),
    "tac": Row(),
    "nl": Row("-b= -n= -w# -s= -v#"),
    "rev": Row(),
    "less": Row("-FNRSX"),
    "more": Row(),
    "head": Row("-n# -c# -qvz --lines# --bytes#", counts=True, bare_globs=True),
    "tail": Row("-n# -c# -qvz --lines# --bytes#", counts=True, bare_globs=True),
    "wc": Row("-clmwL --lines --words --bytes --chars", shows=False, bare_globs=True),
    "diff": Row(
        "-ucyqrNabBiwEZstpd -U# -C# -W# -x= -I= -F= --brief --unified: --side-by-side --recursive --color: --new-file"
        " --text"
        " --minimal --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --strip-trailing-cr"
        " --report-identical-files --suppress-common-lines --no-dereference --context: --exclude= --label= --width#"
        " --show-c-function --expand-tabs --ignore-trailing-space --ignore-tab-expansion",
    ),
    "cmp": Row("-slb -n#"),
    "file": Row("-biLh --mime --mime-type", shows=False),
    "stat": Row("-c= -L -f! -t! --format= --printf=", shows=False, bare_globs=True),
    "du": Row(
        "-abchkmsx -d# --max-depth# --apparent-size --exclude= --summarize --human-readable --all --total --bytes",
        shows=False,
        bare_globs=True,
    ),
    "df": Row("-hTik", shows=False),
    "realpath": Row("-emsqz --relative-to@", shows=False),
    "readlink": Row("-femnz", shows=False),
    "cksum": Row("-btz --tag", shows=False),
    "md5sum": Row("-btz --tag", shows=False),
    "sha1sum": Row("-btz --tag", shows=False),
    "sha256sum": Row("-btz --tag", shows=False),
    "sha512sum": Row("-btz --tag", shows=False),
    "b2sum": Row("-btz --tag", shows=False),
    "od": Row("-cxv -A= -t= -j# -N#"),
    "hexdump": Row("-Cv -n# -s#"),
    "xxd": Row("-u: -p: -l# -s# -c# -g#", most=1, ordered=True),
    "strings": Row("-a -n# -t="),
    "shasum": Row("-bt -a#", shows=False),
    "zcat": Row(),
    "bzcat": Row(),
    "xzcat": Row(),
    "gzip": Row("-lvcdtq --list --stdout --decompress --test --verbose --quiet"),
    "unzip": Row("-lvpq"),
    "zipinfo": Row("-12hvz"),
    "nm": Row("-AaCDgnopru", shows=False),
    "readelf": Row(
        "-ahlSsdnrVAIWegt --wide --all --file-header --program-headers --sections --symbols --dynamic --headers"
        " --notes --relocs --syms --section-headers --segments"
    ),
    "size": Row("-ABdtx", shows=False),
    "free": Row("-bkmghwlt --human --mebi --gibi --bytes --kibi --total --wide --lohi --si", operands="none"),
    "lscpu": Row("-abcJ -e: -p: --json --all --extended: --parse:", operands="none"),
    "locale": Row("-a", operands="none"),
    "groups": Row(operands="none"),
    "whereis": Row("-bms", operands="text"),
    "printenv": Row(operands="text"),
    "tokei": Row("-fC -s= -t= -e= --files --hidden --sort= --type= --types= --exclude= --compact", shows=False),
    "exa": _EXA,
    "eza": _EXA,
}

VERSION_PROGRAMS = frozenset(
    {
        "python3", "python", "node", "npm", "pip", "pip3", "uv", "ruby", "gcc", "g++", "clang", "make", "cmake",
        "cargo", "rustc", "bash", "git", "gh", "docker", "rg", "jq", "perl", "php", "deno", "bun", "curl",
        "tar", "sed", "awk", "gawk", "grep", "find", "zsh", "sqlite3", "psql", "clang++", "ld", "gdb", "fd", "tree",
    }
)  # fmt: skip
"""They tell their version with `--version` alone."""
SHORT_VERSIONS = {
    **dict.fromkeys(("node", "npm", "ruby", "php", "perl", "lua"), ("-v",)),
    **dict.fromkeys(("python", "python3", "cargo", "rustc", "pip", "pip3"), ("-V",)),
    "go": ("version",),
}
"""Other words that, alone, make them tell it."""
PUBLIC_VARIABLES = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "PWD",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "TERM",
        "TMPDIR",
        "HOSTNAME",
    }
)
"""Variables of the environment that hold no secret."""
TOOLCHAIN_PROGRAMS = frozenset({"cargo", "rustc"})
TOOLCHAIN_FILES = ("rust-toolchain", "rust-toolchain.toml")
BARE_GLOBS = frozenset({"echo"})
"""Like `bare_globs` of a row, for programs without one."""
BUILTINS = frozenset({"cd", "pwd", "true", "false", "echo", "printf", "test", "[", "type", "command"})
"""Proven programs that bash has in itself: they need not be on the PATH."""
