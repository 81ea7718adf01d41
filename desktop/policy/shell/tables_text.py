"""Programs that compute on text, search in files or list trees, and the options with which they only read."""

from desktop.policy.shell.options import Row

_GREP = Row(
    "-EFGPivwxclLoqsbHhnaIrRz -e~ -m# -A# -B# -C# --include= --exclude= --exclude-dir= --color: --line-number --count"
    " --max-count#",
    operands="pattern",
)

TEXT_ROWS: dict[str, Row] = {
    "cut": Row("-s -d= -f= -c= -b= --complement --output-delimiter="),
    "paste": Row("-s -d="),
    "tr": Row("-cCdst", operands="text"),
    "column": Row("-t -n! -s= -c#"),
    "fold": Row("-sb -w#"),
    "expand": Row("-i -t="),
    "unexpand": Row("-i -t="),
    "comm": Row("-123i"),
    "sort": Row("-bcCdfghiMnrRsuVz -k= -t="),
    "join": Row("-i -1= -2= -j= -t= -a= -v= -e= -o="),
    "base64": Row("-dD -w# --decode --wrap#", most=1),
    "base32": Row("-dD -w# --decode --wrap#", most=1),
    "uniq": Row("-cdDiuz -f# -s# -w#", most=1, ordered=True),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": Row(
        "-iSswxvclnNoFPU -e~ -A# -B# -C# -m# -g% -t= -T= --glob% --type= --files --files-with-matches"
        " --files-without-match --count --hidden --json --color= --heading --no-heading --sort= --stats --max-depth#"
        " --max-count# --type-list --trim --vimgrep",
        operands="pattern",
    ),
    "fd": Row(
        "-gFispa0 -e= -t= -d# --extension= --type= --max-depth# --exclude=",
        operands="pattern",
        shows=False,
    ),
    "tree": Row(
        "-adfishDFCn -L# -I= -P= --noreport --dirsfirst",
        shows=False,
        split=True,
    ),
}
JQ_ROW = Row("-rcsSMCenja --tab --indent# --arg=~ --argjson=~ --slurpfile=@ --rawfile=@ --args --jsonargs")

FIND_FLAGS = frozenset(
    {
        "-empty", "-readable", "-writable", "-executable", "-xdev", "-mount", "-depth", "-prune", "-print", "-print0",
        "-ls", "-not", "!", "-a", "-and", "-o", "-or", "-true", "-false", "(", ")",
    }
)  # fmt: skip
FIND_VALUED = frozenset(
    {
        "-maxdepth", "-mindepth", "-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-regextype", "-type",
        "-size", "-mtime", "-mmin", "-perm", "-user", "-group", "-links", "-printf",
    }
)  # fmt: skip
FIND_PATHS = frozenset({"-newer"})
