"""Programs that compute on text, search in files or list trees, and the options with which they only read."""

from desktop.policy.shell.read.options import Row

_GREP = Row(
    "-EFGPivwxclLoqsbHhnaIrRzZT -e~ -m# -A# -B# -C# --include= --exclude= --exclude-dir= --color: --line-number --count"
    " --max-count# --regexp~ --ignore-case --recursive --dereference-recursive --extended-regexp --fixed-strings"
    " --perl-regexp --basic-regexp --word-regexp --line-regexp --invert-match --only-matching --files-with-matches"
    " --files-without-match --with-filename --no-filename --no-messages --quiet --silent --text --null --byte-offset"
    " --after-context# --before-context# --binary-files= --line-buffered --initial-tab --colour:",
    operands="pattern",
    counts=True,
)
_FD = Row(
    "-gFispa0HIuq -1 -E= -e= -t= -d# -S= -c= --extension= --type= --max-depth# --min-depth# --exact-depth#"
    " --max-results# --exclude= --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --ignore-case"
    " --case-sensitive --glob --regex --fixed-strings --absolute-path --relative-path --full-path --print0 --size="
    " --changed-within= --changed-before= --newer= --older= --color= --and~ --quiet"
    " --one-file-system",
    operands="pattern",
    shows=False,
)

TEXT_ROWS: dict[str, Row] = {
    "cut": Row(
        "-s -d= -f= -c= -b= --complement --output-delimiter= --delimiter= --fields= --characters= --bytes="
        " --only-delimited"
    ),
    "paste": Row("-s -d="),
    "tr": Row("-cCdst --delete --squeeze-repeats --complement", operands="text"),
    "iconv": Row("-c -f= -t= --from-code= --to-code="),
    "column": Row("-t -n! -s= -c#"),
    "fold": Row("-sb -w#"),
    "expand": Row("-i -t="),
    "unexpand": Row("-i -t="),
    "comm": Row("-123i"),
    "sort": Row(
        "-bcCdfghiMnrRsuVz -k= -t= --unique --numeric-sort --reverse --key= --field-separator= --human-numeric-sort"
        " --version-sort --ignore-case --stable --general-numeric-sort --ignore-leading-blanks"
    ),
    "join": Row("-i -1= -2= -j= -t= -a= -v= -e= -o="),
    "base64": Row("-dD -w# --decode --wrap#", most=1),
    "base32": Row("-dD -w# --decode --wrap#", most=1),
    "uniq": Row("-cdDiuz -f# -s# -w#", most=1, ordered=True),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": Row(
        "-iSswxvclnNoFPUHIpuabq0 -e~ -A# -B# -C# -m# -M# -d# -r~ -E= -g% -t= -T= --glob% --iglob% --type="
        " --type-not="
        " --files --files-with-matches --files-without-match --count --count-matches --hidden --json"
        " --color="
        " --heading --no-heading --sort= --sortr= --stats --max-depth# --max-count# --type-list --trim --vimgrep"
        " --regexp~ --replace~ --context# --after-context# --before-context# --max-columns# --max-columns-preview"
        " --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --no-messages"
        " --unrestricted"
        " --smart-case --ignore-case --case-sensitive --word-regexp --line-regexp --invert-match --line-number"
        " --no-line-number --only-matching --fixed-strings --pcre2 --multiline --multiline-dotall --with-filename"
        " --no-filename --null --text --byte-offset --column --pretty --quiet --passthru --no-config --crlf"
        " --one-file-system --encoding= --engine= --max-filesize= --context-separator~ --line-buffered"
        " --glob-case-insensitive --include-zero",
        operands="pattern",
    ),
    "fd": _FD,
    "fdfind": _FD,
    "tree": Row(
        "-adfishDFCnpugtrvcUJxN -L# -I= -P= --noreport --dirsfirst --filesfirst --filelimit# --prune --gitignore --du"
        " --si"
        " --inodes --device --ignore-case --matchdirs",
        shows=False,
        split=True,
    ),
}
JQ_ROW = Row("-rcsSMCenja --tab --indent# --arg=~ --argjson=~ --slurpfile=@ --rawfile=@ --args --jsonargs")

FIND_FLAGS = frozenset(
    {
        "-empty",
        "-readable",
        "-writable",
        "-executable",
        "-xdev",
        "-mount",
        "-depth",
        "-prune",
        "-print",
        "-print0",
        "-ls",
        "-not",
        "!",
        "-a",
        "-and",
        "-o",
        "-or",
        "-true",
        "-false",
        "(",
        ")",
        "-quit",
        "-daystart",
        "-nouser",
        "-nogroup",
        "-noleaf",
    }
)
FIND_VALUED = frozenset(
    {
        "-maxdepth",
        "-mindepth",
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-regex",
        "-iregex",
        "-regextype",
        "-type",
        "-size",
        "-mtime",
        "-mmin",
        "-perm",
        "-user",
        "-group",
        "-links",
        "-printf",
        "-amin",
        "-atime",
        "-cmin",
        "-ctime",
        "-wholename",
        "-iwholename",
        "-lname",
        "-xtype",
    }
)
FIND_PATHS = frozenset({"-newer"})
