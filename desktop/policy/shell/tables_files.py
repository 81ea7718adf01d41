"""Programs that look at files and folders, or at nothing, and the options with which they only read (gate 6.1)."""

from desktop.policy.shell.options import Row

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
        "-ucyqrNabBiwEZst -U# -C# --brief --unified: --side-by-side --recursive --color:",
    ),
    "cmp": Row("-slb -n#"),
    "file": Row("-biLh --mime --mime-type", shows=False),
    "stat": Row("-c= -L -f! -t! --format= --printf=", shows=False, bare_globs=True),
    "du": Row(
        "-abchkmsx -d# --max-depth# --apparent-size --exclude=",
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
    "xxd": Row("-u -p: -l# -s# -c# -g#", most=1, ordered=True),
    "strings": Row("-a -n# -t="),
}

VERSION_PROGRAMS = frozenset(
    {
        "python3", "python", "node", "npm", "pip", "pip3", "uv", "ruby", "gcc", "g++", "clang", "make", "cmake",
        "cargo", "rustc", "bash", "git", "gh", "docker", "rg", "jq",
    }
)  # fmt: skip
"""They tell their version with `--version` alone."""
TOOLCHAIN_PROGRAMS = frozenset({"cargo", "rustc"})
TOOLCHAIN_FILES = ("rust-toolchain", "rust-toolchain.toml")
BARE_GLOBS = frozenset({"echo"})
"""Like `bare_globs` of a row, for programs without one."""
BUILTINS = frozenset({"cd", "pwd", "true", "false", "echo", "printf", "test", "[", "type", "command"})
"""Proven programs that bash has in itself: they need not be on the PATH."""
