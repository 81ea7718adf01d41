"""Programs that some class judges: what a program word with wildcards may stand for, and what an odd text may hide."""

JUDGED = (
    "rm", "dd", "mv", "sh", "bash", "zsh", "dash", "ksh", "fish", "chmod", "chown", "chgrp", "find", "shred", "mkfs",
    "mkfs.ext4", "mke2fs",
    "wipefs", "blkdiscard", "kill", "killall", "pkill", "tee", "cp", "ln", "nc", "ncat", "netcat", "socat", "curl",
    "wget", "ssh", "scp", "rsync",
    "sftp", "python", "python3", "perl", "ruby", "node", "php", "eval", "exec", "env", "sudo", "doas", "su", "xargs",
    "busybox", "command",
    "nohup", "timeout", "nice", "setsid", "cat", "base64", "crontab", "systemctl", "launchctl", "useradd", "usermod",
    "passwd", "visudo",
    "chpasswd", "git", "truncate", "parted", "fdisk", "sgdisk", "sfdisk", "diskutil", "rmdir", "unlink", "source",
    "telnet", "openssl",
    "mkfifo", "printenv", "gh", "aws", "install", "sed", "awk", "gawk", "at", "setcap", "tar", "zip", "rimraf",
    "bwrap", "ssh-keygen", "srm",
    "parallel", "watch", "stdbuf", "ionice", "strace", "script", "builtin", "time", "export", "declare", "mkswap",
    "lua", "osascript",
    "history", "gsutil", "ftp", "tftp", "http", "sysctl", "chattr", "setfacl", "pwsh", "powershell", "del", "format",
    "diskpart", "adduser",
)  # fmt: skip
