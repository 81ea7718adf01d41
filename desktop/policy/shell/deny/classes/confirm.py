"""Classes that ask with a confirm word: more rights, shared infrastructure, publishing, and wide changes."""

import re
from functools import lru_cache

from desktop.patterns import Pattern
from desktop.policy.shell.deny.call import ANY, Call, DenyPlaces, option_values, static, unmarked
from desktop.policy.shell.deny.classes.paths import absolute, inside_lane
from desktop.policy.shell.deny.classes.root import wide_targets
from desktop.policy.shell.verdict import DenyHit

_RIGHTS = {
    "sudo",
    "doas",
    "su",
    "pkexec",
    "runas",
    "gsudo",
    "run0",
    "sudoedit",
    "runuser",
    "gosu",
    "su-exec",
    "machinectl",
}
_SYSTEM = {
    "mount", "umount", "nsenter", "insmod", "modprobe", "rmmod", "kmod", "chroot", "setenforce", "iptables",
    "ip6tables", "nft", "ufw",
    "firewall-cmd", "swapoff", "swapon", "sysctl", "pivot_root", "auditctl", "apparmor_parser", "semanage",
    "csrutil", "spctl", "tccutil",
    "nvram", "systemsetup", "kexec", "unshare", "losetup", "setsebool",
}  # fmt: skip
_CONTAINERS = {"docker", "podman", "nerdctl", "docker-compose", "lxc"}
_PRIVILEGED = Pattern(
    r"--privileged(?:=true)?|--cap-add(?:=.*)?|--(?:pid|ipc|uts|userns|net|network)=host"
    r"|--security-opt=?.*unconfined.*|--device(?:=.*)?"
)
_INFRA = Pattern(
    r"(?:terraform|tofu|terragrunt) (?:-\S+ )*(?:apply|destroy|force-unlock|state rm|workspace delete|taint|import)\b.*"
    r"|pulumi (?:up|destroy|cancel|stack rm)\b.*|(?:kubectl|oc|k) (?:.* )?(?:delete|apply|drain|replace|patch"
    r"|scale|cordon|edit|rollout undo|rollout restart|set image)\b.*"
    r"|helm (?:.* )?(?:uninstall|delete|upgrade|install|rollback)\b.*|helmfile (?:apply|sync|destroy|delete).*"
    r"|kustomize .*apply.*|argocd app (?:delete|sync).*"
    r"|aws (?:.* )?\S*(?:delete|terminate|remove|purge|deregister|destroy|detach|disable|stop-instances"
    r"|reboot)\S*.*|aws (?:.* )?s3 (?:rm|rb|mv|sync .*--delete)\b.*"
    r"|aws cloudformation (?:deploy|update-stack|create-stack).*|(?:gcloud|az|doctl|linode-cli|hcloud|oci"
    r"|ibmcloud|scw|vultr-cli|aliyun|exo|openstack) .*\b(?:delete|remove|destroy|purge|terminate|rm|deprovision)\b.*"
    r"|gsutil (?:.* )?(?:rm|rb|mv|rsync .*-d)\b.*|s3cmd (?:del|rb|rm)\b.*|rclone (?:delete|purge|sync|move)\b.*"
    r"|mc (?:rm|rb)\b.*"
    r"|(?:docker|podman|nerdctl) (?:(?:system|volume|image|container|network|builder|buildx) prune|volume rm"
    r"|volume remove|system reset|stack rm|swarm leave|service rm)\b.*"
    r"|(?:docker|podman) rm (?:-\S*f\S*|.*\$\().*|(?:docker compose|docker-compose"
    r"|podman-compose) (?:.* )?down\b.*(?:-v|--volumes).*"
    r"|(?:createdb|dropdb|dropuser|createuser|pg_dropcluster|mysqladmin|pg_resetwal|pg_ctl|initdb)\b.*"
    r"|redis-cli (?:.* )?(?:flushall|flushdb|shutdown|debug)\b.*"
    r"|mongo(?:sh)? .*dropDatabase.*|(?:rails|rake|bin/rails|php artisan|artisan) (?:db:(?:drop|reset"
    r"|migrate:reset|purge)|migrate:(?:fresh|reset|refresh)|db:wipe).*"
    r"|(?:django-admin|python3? manage\.py|manage\.py) (?:flush|reset_db|sqlflush)\b.*"
    r"|(?:npx )?prisma (?:migrate reset|db push .*--force-reset).*|(?:npx )?sequelize db:drop.*"
    r"|(?:fly|flyctl) (?:deploy|destroy|apps destroy|volumes destroy|machine destroy)\b.*|heroku (?:apps:destroy"
    r"|pg:reset|addons:destroy|destroy)\b.*"
    r"|vercel (?:--prod|rm|remove|deploy --prod)\b.*|netlify (?:deploy .*--prod|sites:delete)\b.*"
    r"|serverless (?:deploy|remove)\b.*|sls (?:deploy|remove)\b.*|cdk (?:deploy|destroy)\b.*"
    r"|firebase (?:deploy|\S+:delete)\b.*|ansible-playbook\b.*|ansible \S+ .*-m.*|eksctl (?:delete|create)\b.*"
    r"|kops (?:delete|update)\b.*|minikube delete\b.*|kind delete\b.*"
    r"|vagrant destroy\b.*|virsh (?:destroy|undefine|vol-delete)\b.*|gh (?:repo (?:delete|archive|rename|edit)"
    r"|release delete|secret (?:delete|remove|set)|workflow disable|run delete)\b.*"
    r"|gh api .*-X ?(?:DELETE|PUT|PATCH)\b.*|gh api .*--method[= ]DELETE.*|supabase (?:db reset|db push"
    r"|projects delete)\b.*|wrangler (?:delete|deploy|publish|d1 delete|kv:.*delete)\b.*"
    r"|railway (?:down|delete)\b.*|nomad (?:job )?(?:stop|purge|run)\b.*|consul kv delete\b.*|etcdctl del\b.*"
    r"|vault (?:delete|kv delete|kv destroy)\b.*|influx delete\b.*",
    re.IGNORECASE,
)
_PUBLISH = Pattern(
    r"(?:npm|pnpm|yarn|bun)(?: -\S+)* (?:(?:npm )?publish|unpublish|deprecate|dist-tag|owner)\b.*|(?:lerna"
    r"|nx release|changeset|np|semantic-release|release-it)\b(?: publish)?.*"
    r"|twine upload\b.*|(?:poetry|uv|flit|hatch|pdm|maturin|rye) publish\b.*|cargo (?:.* )?(?:publish|yank"
    r"|owner)\b.*|gem (?:push|yank)\b.*|rake release\b.*|gh release (?:create|upload|edit)\b.*"
    r"|glab release create\b.*|(?:docker|podman|nerdctl|buildah) (?:image |manifest )?push\b.*"
    r"|docker buildx? .*--push.*|skopeo copy\b.*|crane push\b.*|helm push\b.*|oras push\b.*|mvn .*\b(?:deploy"
    r"|release:perform)\b.*"
    r"|gradlew? .*\bpublish\w*.*|dotnet nuget push\b.*|nuget push\b.*|pod trunk push\b.*|vsce publish\b.*"
    r"|ovsx publish\b.*|goreleaser release\b.*|goreleaser\Z|python3? setup\.py .*upload.*"
    r"|python3? -m twine upload\b.*|mix hex\.publish\b.*|dart pub publish\b.*|flutter pub publish\b.*"
    r"|jsr publish\b.*|deno publish\b.*|conan upload\b.*|snapcraft (?:upload|push|release)\b.*"
    r"|gh pr merge\b.*|gh repo create .*--public.*|luarocks upload\b.*|cpan-upload\b.*|hub release create\b.*"
    r"|charmcraft upload\b.*|clojars push\b.*|lein deploy\b.*|sbt publish\w*\b.*|stack upload\b.*",
    re.IGNORECASE,
)
_FIRST_LETTERS = Pattern(r"[a-z0-9_]*")
_TOLD_BY_LINE = frozenset({
    "aliyun", "ansible", "argocd", "artisan", "aws", "az", "buildah", "bun", "bunx", "cargo", "cdk", "changeset",
    "charmcraft", "clojars", "conan", "consul", "cpan", "crane", "createdb", "createuser", "dart", "deno", "django",
    "docker", "doctl", "dotnet", "dropdb", "dropuser", "eksctl", "etcdctl", "exo", "firebase", "flit", "fly", "flyctl",
    "flutter", "gcloud", "gem", "gh", "glab", "goreleaser", "gradle", "gradlew", "gsutil", "hatch", "hcloud", "helm",
    "helmfile", "heroku", "hub", "ibmcloud", "influx", "initdb", "jsr", "k", "kind", "kops", "kubectl", "kustomize",
    "lein", "lerna", "linode", "luarocks", "manage", "maturin", "mc", "minikube", "mix", "mongo", "mongosh", "mvn",
    "mysqladmin", "nerdctl", "netlify", "nomad", "np", "npm", "npx", "nuget", "nx", "oc", "oci", "openstack", "oras",
    "ovsx", "pdm", "pg_ctl", "pg_dropcluster", "pg_resetwal", "php", "pipx", "pnpm", "pod", "podman", "poetry",
    "prisma", "pulumi", "python", "python3", "rails", "railway", "rake", "rclone", "redis", "release", "rye", "s3cmd",
    "sbt", "scw", "semantic", "sequelize", "serverless", "skopeo", "sls", "snapcraft", "stack", "supabase",
    "terraform", "terragrunt", "tofu", "twine", "uv", "uvx", "vagrant", "vault", "vercel", "virsh", "vsce", "vultr",
    "wrangler", "yarn",
})  # fmt: skip
"""How the names of the programs begin of which `_INFRA` and `_PUBLISH` say something, up to the first other sign than
a letter or digit."""
_NAMES_TO_END = {
    "pkill",
    "killall",
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
    "telinit",
    "skill",
    "killall5",
    "stop-computer",
    "restart-computer",
    "taskkill",
    "kextunload",
}
_WIDE = frozenset(
    {
        *_NAMES_TO_END,
        "chmod",
        "chown",
        "chgrp",
        "setfacl",
        "init",
        "kill",
        "systemctl",
        "crontab",
        "rm",
        "rimraf",
        ANY,
        "rsync",
        "find",
    }
)
_BUILT = {
    "node_modules", "dist", "build", "target", ".venv", "venv", "env", "__pycache__", ".pytest_cache", "coverage",
    "out", ".next", ".nuxt",
    ".cache", ".parcel-cache", ".turbo", ".mypy_cache", ".ruff_cache", ".tox", ".nox", "htmlcov", ".coverage", "tmp",
    "temp", "bin", "obj",
    ".gradle", "cmake-build-debug", "cmake-build-release", "debug", "release", "logs", "log", ".svelte-kit",
    ".output", ".angular", ".vite",
    "storybook-static", ".eggs", "eggs", "wheels", "site", "_build", "_site", "public", "generated", ".terraform",
    "deriveddata", "pods", ".expo",
    "bower_components", "vendor", ".hypothesis", ".dart_tool", ".serverless", ".webpack", "test-results",
    "playwright-report", "reports",
    ".nyc_output", "lib-cov", ".sass-cache", "elm-stuff", ".stack-work", "dist-newstyle", "zig-cache", "zig-out",
    ".docusaurus", "buck-out",
}  # fmt: skip
_BUILT_PATTERNS = Pattern(
    r".*\.(?:egg-info|dist-info|pyc|o|obj|log|tmp|cache|tgz|whl)|\*\.egg-info|build[-_].*|.*[-_]build|dist[-_].*"
    r"|cmake-build.*"
)


PROGRAMS = frozenset({*_RIGHTS, *_SYSTEM, *_CONTAINERS, *_WIDE})
"""The programs of which something is said whatever the words are read as one line."""


def confirm_hits(call: Call, places: DenyPlaces) -> list[DenyHit]:
    """The confirm classes that a call falls into."""
    if call.program == ANY:
        return _wide(call, places)
    hits = _priv(call, places)
    if is_told_by_line(call.program):
        hits += _line_hits(call)
    return hits + _wide(call, places) if call.program in _WIDE else hits


@lru_cache(maxsize=512)
def is_told_by_line(program: str) -> bool:
    """Whether some call of a program changes infrastructure or publishes something."""
    first = _FIRST_LETTERS.match(program)
    return first is not None and first[0] in _TOLD_BY_LINE


def _line_hits(call: Call) -> list[DenyHit]:
    """What the words of a call tell when they are read as one line."""
    hits = []
    line = " ".join([call.program, *map(static, call.args[:40])])[:400]
    if call.program in {"python", "python3"} and call.args[:1] == ["-m"]:
        line = " ".join(map(static, call.args[1:40]))
    if call.program in {"npx", "bunx", "pipx", "uvx"}:
        line = " ".join(map(static, call.args[:40]))
    if _INFRA.fullmatch(line) and "--dry-run" not in line and "--help" not in line:
        hits.append(
            call.hit("D-infra", "It would change or delete shared infrastructure or data.", confirm=_host(call))
        )
    if _PUBLISH.fullmatch(line) and "--dry-run" not in line and "--help" not in line:
        hits.append(call.hit("D-publish", "It would publish something that others get.", confirm="run"))
    return hits


def _host(call: Call) -> str:
    words = option_values(call.args, "--context", "--kube-context", "-h", "--host", "--profile", "--project")
    return next((static(word) for word in words if re.fullmatch(r"[\w.-]{2,64}", static(word))), "run")


def _priv(call: Call, places: DenyPlaces) -> list[DenyHit]:
    program = call.program
    words = call.words
    reason = "It would run with more rights than the agent has."
    if program in _RIGHTS and not {"--version", "-V", "--help"} & set(words[:1]):
        return [call.hit("D-priv", reason, confirm="run")]
    if program in _SYSTEM and words and not _only_shows(program, words):
        return [call.hit("D-priv", reason, confirm="run")]
    if program in _CONTAINERS and _reaches_host(call, words, places):
        return [call.hit("D-priv", "It would give a container the host's files or rights.", confirm="run")]
    return []


def _only_shows(program: str, words: list[str]) -> bool:
    if program == "sysctl":
        return not ({"-w", "--write", "-p", "--load", "--system"} & set(words) or any("=" in word for word in words))
    if program in {"iptables", "ip6tables", "nft", "ufw", "firewall-cmd"}:
        return bool({"-L", "-S", "--list", "list", "status", "--list-all", "-nL"} & set(words))
    return (
        words[0] in {"-l", "--list", "--version", "-V", "--help", "-h", "list", "-a", "--show"} and program != "umount"
    )


def _reaches_host(call: Call, words: list[str], places: DenyPlaces) -> bool:
    if any(_PRIVILEGED.fullmatch(word) for word in words):
        return True
    if any(option in words and "host" in words for option in ("--pid", "--ipc", "--uts", "--userns")):
        return True
    if not {"run", "create", "exec"} & set(words):
        return False
    mounts = [value.partition(":")[0] for value in option_values(call.args, "-v", "--volume") if ":" in value]
    for value in option_values(call.args, "--mount"):
        mounts += re.findall(r"(?:source|src)=([^,]+)", unmarked(value))
    return any(
        mount[:1] in {"/", "~", "."} and not inside_lane(absolute(mount, call.folder, places), places)
        for mount in mounts
    )


def _wide(call: Call, places: DenyPlaces) -> list[DenyHit]:
    program = call.program
    letters, operands = call.parts
    words = set(call.words)
    if program in {"chmod", "chown", "chgrp", "setfacl"} and letters & {"R", "--recursive"}:
        return [call.hit("D-wide", "It would change the rights of a whole folder.", confirm="run")]
    informs = {"-l", "--list", "--help", "--version", "-k", "-c", "-0", *(() if program == "shutdown" else ("-h",))}
    if program in _NAMES_TO_END and not words & informs:
        return [call.hit("D-wide", "It would end programs or the machine by name.", confirm="run")]
    if (program == "init" and words & {"0", "6", "1"}) or (
        program == "kill" and words & {"1", "0"} and "-0" not in words
    ):
        return [call.hit("D-wide", "It would end programs or the machine by name.", confirm="run")]
    if program == "systemctl" and words & {
        "reboot",
        "poweroff",
        "halt",
        "suspend",
        "hibernate",
        "kexec",
        "rescue",
        "emergency",
        "isolate",
    }:
        return [call.hit("D-wide", "It would end programs or the machine by name.", confirm="run")]
    if program == "crontab" and "-r" in words:
        return [call.hit("D-wide", "It would delete every scheduled command.", confirm="run")]
    if program in {"rm", "rimraf", ANY, "rsync", "find"} and any(
        not _is_built(path) for path in wide_targets(call, places)
    ):
        return [call.hit("D-wide", "It would delete whole folders of the lane.", confirm="run")]
    if (
        program == "rm"
        and letters & {"r", "R", "--recursive"}
        and (not operands or any(not static(word) for word in operands))
    ):
        return [call.hit("D-wide", "It would delete whatever it is told at run time.", confirm="run")]
    return []


def _is_built(path: str) -> bool:
    names = [name.casefold() for name in path.split("/")[-8:]]
    if any(name in _BUILT for name in names):
        return True
    return bool(_BUILT_PATTERNS.fullmatch(names[-1]))
