"""What winget, Homebrew and Flatpak are told of a version: texts made of its manifest and the address of its files."""

import json
from datetime import UTC, datetime
from typing import Any

from installer.ground import UNSIGNED, Problem

WINGET, FLATPAK = "Banksman.Banksman", "app.banksman.Banksman"
WINGET_FORMAT = "1.6.0"
RUNTIME = "25.08"
SAID = "Supervise coding agents: see what they are about to do, and decide"
FLATPAK_ARCHES = {"amd64": "x86_64", "arm64": "aarch64"}
WINGET_ARCHES = {"amd64": "x64", "arm64": "arm64"}
CASK_ARCHES = {"arm64": "arm", "amd64": "intel"}
_NOT_PUBLISHED = """\
# Not for publication: in Flatpak's sandbox Banksman finds neither git nor bash nor bubblewrap of the computer.
"""
_NOT_SIGNED = "Nobody signed this build. macOS opens it once you allow it in System Settings, Privacy & Security."


def store_texts(manifest: dict[str, Any], downloads: str, page: str) -> dict[str, str]:
    """The texts by the names of their files, each where the version has a form for it. `downloads`: the folder that the
    files lie in, with `{version}` where its name holds it; `page`: of the program.

    Raises:
        Problem: an address is missing or not one of https.
    """
    for option, value in (("--downloads-address", downloads), ("--page", page)):
        if not value.startswith("https://") or not value.split("/")[2]:
            raise Problem(f"{option} names an address that begins with https:// and a host; stores need it.")
    folder = downloads.replace("{version}", manifest["version"]).rstrip("/")
    files = {name: (f"{folder}/{name}", entry["sha256"]) for name, entry in sorted(manifest["files"].items())}
    texts: dict[str, str] = {}
    if setups := by_machine(files, "-setup.exe", WINGET_ARCHES):
        texts |= winget(manifest, setups, page)
    if images := by_machine(files, ".dmg", CASK_ARCHES):
        texts["banksman.rb"] = cask(manifest, images, page)
    if archives := by_machine(files, ".tar.zst", FLATPAK_ARCHES):
        texts[f"{FLATPAK}.yml"] = _NOT_PUBLISHED + yaml_text(flatpak(archives))
    return texts


def by_machine(files: dict[str, tuple[str, str]], ending: str, machines: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Address and SHA-256 of the forms that end so, by what a store calls their machine."""
    return {
        called: found
        for machine, called in machines.items()
        for name, found in files.items()
        if name.endswith(ending) and f"-{machine}" in name
    }


def winget(manifest: dict[str, Any], setups: dict[str, tuple[str, str]], page: str) -> dict[str, str]:
    """The three files of a version at winget."""
    same = {"PackageIdentifier": WINGET, "PackageVersion": manifest["version"]}
    day = datetime.fromtimestamp(manifest["time"], UTC).date().isoformat()
    installers = [
        {"Architecture": machine, "InstallerUrl": address, "InstallerSha256": sha256_hex.upper()}
        for machine, (address, sha256_hex) in setups.items()
    ]
    parts: dict[str, dict[str, Any]] = {
        "": {**same, "DefaultLocale": "en-US", "ManifestType": "version"},
        ".installer": {
            **same, "InstallerType": "nullsoft", "Scope": "user", "MinimumOSVersion": "10.0.17763.0",
            "InstallModes": ["interactive", "silent"], "UpgradeBehavior": "install", "Protocols": ["banksman"],
            "ProductCode": "Banksman", "ReleaseDate": day,
            "ExpectedReturnCodes": [{"InstallerReturnCode": 3, "ReturnResponse": "packageInUse"}],
            "Dependencies": {"PackageDependencies": [{"PackageIdentifier": "Git.Git"}]},
            "Installers": installers, "ManifestType": "installer",
        },
        ".locale.en-US": {
            **same, "PackageLocale": "en-US", "Publisher": "Banksman", "PackageName": "Banksman", "PackageUrl": page,
            "License": "Apache-2.0", "ShortDescription": SAID, "Tags": ["agent", "git", "review"],
            **({"ReleaseNotes": manifest["notes"]} if manifest["notes"] else {}), "ManifestType": "defaultLocale",
        },
    }  # fmt: skip
    return {
        f"{WINGET}{part}.yaml": (
            f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{told['ManifestType']}"
            f".{WINGET_FORMAT}.schema.json\n{yaml_text({**told, 'ManifestVersion': WINGET_FORMAT})}"
        )
        for part, told in parts.items()
    }


def cask(manifest: dict[str, Any], images: dict[str, tuple[str, str]], page: str) -> str:
    """The cask of Homebrew."""
    lines = ['cask "banksman" do', f"  version {ruby(manifest['version'])}", ""]
    for machine, (address, sha256_hex) in images.items():
        lines += [f"  on_{machine} do", f"    sha256 {ruby(sha256_hex)}", "", f"    url {ruby(address)}", "  end"]
    if len(images) == 1:
        lines += [f"  depends_on arch: :{'arm64' if 'arm' in images else 'x86_64'}"]
    lines += ["", '  name "Banksman"', '  desc "Supervise coding agents"', f"  homepage {ruby(page)}", ""]
    lines += ['  depends_on formula: "git"', '  depends_on macos: ">= :ventura"', "", '  app "Banksman.app"']
    lines += ['  binary "#{appdir}/Banksman.app/Contents/MacOS/banksman"']
    if any(UNSIGNED in address for address, _ in images.values()):
        lines += ["", "  caveats <<~EOS", f"    {_NOT_SIGNED}", "  EOS"]
    return "\n".join([*lines, "end", ""])


def ruby(text: str) -> str:
    """A text as Ruby writes it, in which nothing is computed."""
    return json.dumps(text, ensure_ascii=False).replace("#", "\\#")


def flatpak(archives: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """What flatpak-builder is given."""
    sources = [
        {
            "type": "archive", "url": address, "sha256": sha256_hex, "only-arches": [machine],
            "strip-components": 1,
        }
        for machine, (address, sha256_hex) in archives.items()
    ]  # fmt: skip
    module = {
        "name": "banksman", "buildsystem": "simple", "build-commands": ["cp -a usr/. /app/"], "sources": sources,
    }  # fmt: skip
    return {
        "id": FLATPAK, "runtime": "org.freedesktop.Platform", "runtime-version": RUNTIME, "sdk": "org.freedesktop.Sdk",
        "command": "banksman", "rename-desktop-file": "banksman.desktop", "rename-icon": "banksman",
        "rename-appdata-file": "banksman.metainfo.xml",
        "finish-args": [
            "--share=network", "--share=ipc", "--socket=wayland", "--socket=fallback-x11", "--device=dri",
            "--filesystem=home", "--talk-name=org.freedesktop.secrets",
        ],
        "modules": [module],
    }  # fmt: skip


def yaml_text(told: object) -> str:
    """Mappings, lists, texts and numbers as YAML."""
    return "\n".join(yaml_lines(told)) + "\n"


def yaml_lines(told: object) -> list[str]:
    """The lines of a mapping or a list; texts are in quotes, so that none is taken for something else."""
    lines: list[str] = []
    entries = [(f"{key}:", value) for key, value in told.items()] if isinstance(told, dict) else []
    entries += [("-", value) for value in told] if isinstance(told, list) else []
    for head, value in entries:
        if isinstance(value, dict | list):
            inner = yaml_lines(value)
            if head == "-":
                lines += [f"- {inner[0]}", *(f"  {line}" for line in inner[1:])]
            else:
                lines += [head, *(f"  {line}" for line in inner)]
        else:
            lines.append(f"{head} {json.dumps(value, ensure_ascii=False)}")
    return lines
