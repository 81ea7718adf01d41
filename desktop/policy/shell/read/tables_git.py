"""Git sub-commands that only read, and the options with which they do (gate-S14)."""

from desktop.policy.shell.read.options import Row

_DIFF = (
    "-psRwbaWcm -u -U: -M: -C: -B: --patch --stat: --numstat --shortstat --name-only --name-status --word-diff:"
    " --color: --no-color --summary --check --diff-filter= --exit-code --quiet --no-ext-diff --no-textconv --merge-base"
    " --unified: --find-renames: --find-copies: --find-copies-harder --no-renames --ignore-all-space"
    " --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --dirstat: --compact-summary"
    " --function-context --minimal --patience --histogram --diff-algorithm= --word-diff-regex= --color-words:"
    " --color-moved: --no-patch --raw --abbrev: --no-abbrev --full-index --binary --text --no-prefix --patch-with-stat"
    " --inter-hunk-context= --relative: --cc --pickaxe-all --pickaxe-regex"
)
_COMMITS = (
    " --oneline -n# --all --since= --until= --after= --before= --author= --committer= --grep= -i -E -F -P --reverse"
    " --first-parent --merges --no-merges --max-count# --skip= --left-right --cherry --cherry-pick --cherry-mark"
    " --boundary --ancestry-path: --topo-order --date-order --author-date-order --branches: --tags: --remotes:"
    " --all-match --invert-grep --min-parents: --max-parents: --exclude= --glob= --full-history"
    " --simplify-by-decoration --not --parents --children --abbrev-commit --no-abbrev-commit --format: --pretty:"
    " --date= --graph --right-only --left-only"
)
_LOG = (
    f"{_DIFF} {_COMMITS} --decorate: --no-decorate -S= -G= --follow -L= --source --walk-reflogs -g --notes: --no-notes"
    " --relative-date --full-diff --decorate-refs= --no-mailmap --mailmap"
)

GIT_GLOBAL_FLAGS = frozenset({"--no-pager", "-P", "--no-optional-locks"})
GIT_ROWS: dict[str, Row] = {
    "status": Row(
        "-sbz --short --branch --porcelain: -u: --untracked-files: --ignored: --long --ahead-behind --no-ahead-behind"
        " --renames --no-renames --find-renames: --no-column --show-stash --null",
        shows=False,
    ),
    "diff": Row(f"{_DIFF} --cached --staged --no-index"),
    "diff-tree": Row(f"{_DIFF} -r -t --root --no-commit-id --format: --pretty:"),
    "diff-index": Row(f"{_DIFF} --cached"),
    "log": Row(_LOG, counts=True),
    "show": Row(_LOG, counts=True),
    "whatchanged": Row(_LOG, counts=True),
    "blame": Row(
        "-weslftnbc -C: -M: -L= --date= --porcelain --line-porcelain --show-name --show-number --show-email --abbrev:"
        " --ignore-rev= --since= --first-parent --root --no-progress"
    ),
    "grep": Row(
        "-nilcwEFPGhHovaILpWqz -e~ -A# -B# -C# -m# --heading --break --count --line-number --ignore-case --word-regexp"
        " --extended-regexp --fixed-strings --perl-regexp --files-with-matches --name-only --only-matching --cached"
        " --untracked --color: --no-color --column --max-depth# --max-count# --context# --after-context#"
        " --before-context# --show-function --function-context --quiet --text",
        operands="pattern",
    ),
    "ls-files": Row(
        "-cmodisutvzk -x= --exclude-standard --others --cached --modified --deleted --stage --unmerged --ignored"
        " --directory --full-name --error-unmatch --no-empty-directory --eol --abbrev: --exclude= --killed",
        shows=False,
    ),
    "ls-tree": Row("-rltzd --name-only --name-status --full-tree --full-name --abbrev: --long", shows=False),
    "rev-parse": Row(
        "-q --quiet --show-toplevel --abbrev-ref: --short: --git-dir --is-inside-work-tree --verify --all --branches:"
        " --tags: --remotes: --git-common-dir --absolute-git-dir --is-bare-repository --is-inside-git-dir"
        " --is-shallow-repository --show-cdup --show-prefix --symbolic --symbolic-full-name --revs-only --no-revs",
        shows=False,
    ),
    "rev-list": Row(f"{_COMMITS} --count --header --timestamp --objects --abbrev:", shows=False, counts=True),
    "describe": Row(
        "--tags --always --dirty: --long --abbrev: --all --first-parent --match= --exclude= --exact-match --contains",
        shows=False,
    ),
    "branch": Row(
        "-arv -i --show-current --list --contains= --no-contains= --points-at= --merged? --no-merged? --sort= --format="
        " --all --remotes --verbose --color: --no-color --abbrev: --no-abbrev --ignore-case --no-column",
        shows=False,
    ),
    "tag": Row(
        "-l -i --list -n: --contains= --no-contains= --points-at= --merged? --no-merged? --sort= --format="
        " --ignore-case --color:",
        shows=False,
    ),
    "remote": Row("-v --verbose", operands="none"),
    "remote get-url": Row("--all --push", operands="text", most=1),
    "stash list": Row("-p --stat: --oneline --name-only --name-status --format: --pretty:", operands="none"),
    "stash show": Row(_DIFF),
    "reflog": Row(_LOG, operands="none", counts=True),
    "reflog show": Row(_LOG, counts=True),
    "shortlog": Row(
        "-sne -w: --summary --numbered --email --all --since= --until= --after= --before= --no-merges --merges"
        " --group= --author= --format: --branches: --tags: --remotes: --first-parent",
        shows=False,
    ),
    "cat-file": Row("-ptse"),
    "cherry": Row("-v --abbrev:", shows=False),
    "range-diff": Row("-s --stat: --no-patch --color: --no-color --creation-factor= --no-dual-color"),
    "show-ref": Row("-q -d -s: --tags --heads --head --hash: --abbrev: --verify --dereference --quiet", shows=False),
    "symbolic-ref": Row("-q --quiet --short", operands="text", most=1),
    "merge-base": Row("-a --all --is-ancestor --octopus --independent --fork-point", shows=False),
    "name-rev": Row("--name-only --tags --always --refs= --no-undefined", shows=False),
    "for-each-ref": Row(
        "--format= --sort= --count# --points-at= --merged: --no-merged: --contains: --no-contains: --ignore-case"
        " --color:",
        shows=False,
    ),
    "config": Row("--get --local --global", operands="text", most=1),
    "count-objects": Row("-vH", operands="none"),
    "check-ignore": Row("-vqnz --verbose --quiet --non-matching --no-index", shows=False),
    "worktree list": Row("-vz --verbose --porcelain", operands="none"),
    "version": Row("--build-options", operands="none"),
}
GIT_NESTED = frozenset({"remote", "stash", "reflog", "worktree"})
"""Sub-commands with sub-commands of their own."""
OPERANDS_WITH = {"branch": ("--list",), "tag": ("-l", "--list"), "config": ("--get",)}
"""Without one of these an operand is a name to be made."""
GIT_CONFIG_NAMES = (
    r"(?i:user\.(?:name|email)|core\.(?:bare|filemode|ignorecase|autocrlf|eol|quotepath|symlinks)|init\.defaultbranch"
    r"|pull\.(?:rebase|ff)|push\.default|merge\.(?:ff|conflictstyle)|rerere\.enabled|branch\.[\w./-]+\.(?:remote|merge))"
)
"""Settings that hold no address and no secret, as an expression."""
