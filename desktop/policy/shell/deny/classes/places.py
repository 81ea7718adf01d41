"""Files that decide who may log in, what starts by itself and what guards the agent: writing them is refused."""

import re
from functools import lru_cache

from desktop.patterns import Pattern
from desktop.policy.shell.deny.call import Call, DenyPlaces, static
from desktop.policy.shell.deny.classes.paths import absolute, folded, inside_lane, lane_root
from desktop.policy.shell.verdict import DenyHit

_HOME = r"(?:/home/[^/]+|/root|/users/[^/]+|~home~)"
_LOGIN = Pattern(
    rf"/etc/(?:sudoers(?:\.d)?|passwd|shadow|gshadow|group|pam\.d|ssh|security|pam\.conf|doas\.conf|login\.defs|shells"
    rf"|nsswitch\.conf|krb5\.conf|polkit-1)(?:[-.~/].*)?"
    rf"|.*/authorized_keys2?|/var/(?:db/dslocal|lib/accountsservice)/.*|/etc/master\.passwd"
    rf"|{_HOME}/\.ssh(?!/known_hosts)(?:/.*)?|{_HOME}/\.gnupg(?:/.*)?|{_HOME}/\.aws(?:/(?:credentials|config|sso/.*))?"
    rf"|{_HOME}/(?:\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.docker/config\.json"
    rf"|\.kube(?:/config)?"
    rf"|\.config/gh/hosts\.yml|\.config/gcloud(?:/.*)?|\.azure(?:/.*)?|\.cargo/credentials(?:\.toml)?"
    rf"|\.gem/credentials|\.rhosts|\.shosts"
    rf"|\.terraform\.d/credentials\.tfrc\.json|\.vault-token|\.yarnrc\.yml|\.pip/pip\.conf|\.config/pip/pip\.conf"
    rf"|\.config/containers/auth\.json|\.boto|\.oci/config|\.k5login)"
)
_PERSIST = Pattern(
    rf"{_HOME}/(?:\.bashrc|\.bash_profile|\.bash_login|\.bash_logout|\.bash_aliases|\.profile|\.zshrc|\.zprofile"
    rf"|\.zshenv|\.zlogin"
    rf"|\.zlogout|\.kshrc|\.mkshrc|\.cshrc|\.tcshrc|\.login|\.logout|\.inputrc|\.xinitrc|\.xprofile"
    rf"|\.xsession(?:rc)?|\.xsessionrc"
    rf"|\.pam_environment|\.config/fish(?:/.*)?|\.config/zsh(?:/.*)?|\.oh-my-zsh/custom(?:/.*)?|\.zshrc\.d/.*"
    rf"|\.bashrc\.d/.*"
    rf"|\.config/autostart(?:/.*)?|\.config/autostart-scripts/.*|\.config/systemd(?:/.*)?|\.local/share/systemd(?:/.*)?"
    rf"|\.config/environment\.d/.*|library/launchagents(?:/.*)?|library/launchdaemons(?:/.*)?|\.gitconfig"
    rf"|\.config/git(?:/.*)?"
    rf"|\.git-templates?(?:/.*)?|\.local/share/dbus-1/services/.*|\.vimrc|\.config/nvim/init\.(?:vim|lua)"
    rf"|\.emacs|\.tmux\.conf"
    rf"|\.config/plasma-workspace/.*|\.ssh/rc|\.config/hypr/.*|\.config/i3/config|\.config/sway/config"
    rf"|\.config/upstart/.*)"
    r"|/etc/(?:profile|profile\.d|bash\.bashrc|bash_completion\.d|bashrc|bash\.bash_logout|zsh|zshrc|zprofile"
    r"|zshenv|zlogin|csh\.\w+|fish"
    r"|environment|environment\.d|ld\.so\.preload|ld\.so\.conf|ld\.so\.conf\.d|rc\.local|rc\.d|rc\d\.d|init\.d"
    r"|init|inittab|inetd\.conf"
    r"|xinetd\.d|cron\w*|anacrontab|crontab|cron\.\w+|systemd|xdg/autostart|gitconfig|update-motd\.d|udev"
    r"|launchd\.conf|at\.allow"
    r"|cron\.allow|skel|modules-load\.d|apt/apt\.conf\.d|NetworkManager/dispatcher\.d|network/if-up\.d|skel"
    r"|periodic)(?:/.*)?"
    r"|/(?:usr/)?(?:local/)?lib/systemd(?:/.*)?|/run/systemd/.*|/var/spool/(?:cron|at|anacron)(?:/.*)?|/var/at/.*"
    r"|/library/(?:launchagents|launchdaemons|startupitems)(?:/.*)?|/system/library/launch\w+(?:/.*)?"
    r"|/usr/local/etc/rc\.d/.*"
    r"|.*/site-packages/(?:sitecustomize\.py|usercustomize\.py|[^/]+\.pth)|.*/start menu/programs/startup/.*"
    r"|/usr/(?:local/)?share/git-core/.*"
)
_GIT_HOOKS = Pattern(r".*(?:/\.git(?:/modules/.+|/worktrees/[^/]+)?|\.git)/hooks(?:/(?!.*\.sample\Z).*)?")
_OWN = Pattern(
    rf"{_HOME}/(?:\.banksman|\.config/banksman|\.local/(?:share|state)/banksman|\.cache/banksman"
    rf"|library/(?:application support"
    r"|caches|logs|preferences)/banksman|appdata/(?:local|roaming)/banksman)(?:/.*)?|(?:/.*)?/\.banksman(?:/.*)?"
    r"|/var/(?:lib|log)/banksman(?:/.*)?"
)
AWAY = r"^\s*[/~%$]|^-[A-Za-z0-9]+[/~]|=\s*[/~%$]|\.\.|\b[A-Za-z]:|file:|banksman"
"""A word that could lead out of the lane, or to the product's own files, as a pattern for words joined by line feeds;
case does not count."""
_AWAY = Pattern(AWAY, re.MULTILINE | re.IGNORECASE)
_HELPER = Pattern(r"/(?:usr/)?(?:local/)?(?:s?bin)/(?:bwrap|sandbox-exec|banksman)")
_GIT_OWN = Pattern(
    r".*/\.git(?:/(?:config|config\.worktree|head|objects|refs|packed-refs|index|gitdir|commondir"
    r"|info/attributes|logs|modules|worktrees)(?:/.*)?)?"
)


def comparable(path: str, places: DenyPlaces) -> str:
    """An absolute path in the form in which it is compared; the person's home reads as `~home~`."""
    lowered = static(path).casefold()
    home = folded(places.home).casefold()
    return "~home~" + lowered[len(home) :] if lowered == home or lowered.startswith(home + "/") else lowered


def is_own(path: str, places: DenyPlaces) -> bool:
    """Whether an absolute path is the product's own."""
    root = lane_root(places)
    if inside_lane(path, places):
        return "/.banksman" in path[len(root) :].casefold() + "/"
    lowered = static(path).casefold()
    for own in places.own_folders:
        folder = absolute(own, root, places).casefold()
        if lowered == folder or lowered.startswith(folder + "/"):
            return True
    return bool(_OWN.fullmatch(comparable(path, places)))


def starts_in_lane(folder: str, places: DenyPlaces) -> bool:
    """Whether plain relative words, read from this absolute folder, stay in the lane and off
    the files of Git and of the product."""
    return _starts_in_lane(folder, lane_root(places))


@lru_cache(maxsize=256)
def _starts_in_lane(folder: str, root: str) -> bool:
    below = folder[len(root) :].casefold()
    inside = folder == root or folder.startswith(root + "/")
    return inside and root != "/" and "banksman" not in below and ".git" not in below


def could_be_own(call: Call, places: DenyPlaces) -> bool:
    """Whether a word of a call could name something outside the lane or of the product; False is sure."""
    words = "\n".join(call.args)
    if not words:
        return False
    plain = words.isascii() and all(map(str.isprintable, call.args))
    return not plain or bool(_AWAY.search(words)) or not starts_in_lane(call.folder, places)


def is_git_metadata(path: str) -> bool:
    """Whether an absolute path is a `.git` file or folder, or a part of it that Git cannot do without."""
    return bool(_GIT_OWN.fullmatch(static(path).casefold()))


def sensitive_write(path: str, call: Call, places: DenyPlaces) -> DenyHit | None:
    """The class that writing, replacing or deleting an absolute path falls into, if any."""
    lane = inside_lane(path, places)
    whole = comparable(path, places)
    if is_own(path, places) or _HELPER.fullmatch(whole):
        return call.hit("D-guard", "It would change Banksman's own files or the sandbox.")
    if _GIT_HOOKS.fullmatch(whole):
        return call.hit("D-persist", "It would change a Git hook, which runs by itself later.")
    if is_git_metadata(path):
        return call.hit("D-guard", "It would change or delete Git's own files.")
    if not lane or "authorized_keys" in whole:
        if _LOGIN.fullmatch(whole) and (call.program not in {"chmod", "chown"} or whole.startswith("/etc/")):
            return call.hit("D-login", "It would change who may log in, or a credential file.")
        if _PERSIST.fullmatch(whole):
            return call.hit("D-persist", "It would change what runs by itself later.")
    return None
