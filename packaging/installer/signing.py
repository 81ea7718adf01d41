"""Who signs a build: with keys that the environment names, which it does in CI alone. Without them every form says in
its name that nobody signed it, and so do the manifest and About."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from installer.ground import SYSTEM, Problem, out, run

GPG, MINISIGN = "BANKSMAN_GPG_KEY", "BANKSMAN_MINISIGN_KEY"
CERTIFICATE, TIMESTAMPS = "BANKSMAN_CERTIFICATE", "BANKSMAN_TIMESTAMPS"
IDENTITY, NOTARY = "BANKSMAN_CODESIGN_IDENTITY", "BANKSMAN_NOTARY_PROFILE"
MARK = Path("_internal", "resources", "notices", "SIGNED")
"""Among the program's resources where the build is signed; it holds one line that says by what."""
_KITS = Path("C:/Program Files (x86)/Windows Kits/10/bin")


@dataclass(frozen=True)
class Signer:
    """What signs on this system; "" where nothing does.

    `gpg`: a fingerprint of a secret key that gpg has, without a passphrase. `minisign`: the file of a secret key
    without one. `certificate`: the SHA-1 of a certificate in the person's store, `timestamps`: the address of a
    service of RFC 3161. `identity`: of a Developer ID in the keychain, `notary`: a profile of notarytool.
    """

    gpg: str = ""
    minisign: str = ""
    certificate: str = ""
    timestamps: str = ""
    identity: str = ""
    notary: str = ""

    @property
    def by(self) -> str:
        """What people can look for, "" where nobody signs."""
        named = {
            "GPG": self.gpg, "minisign": self.minisign and "its public key", "certificate": self.certificate,
            "Developer ID": self.identity,
        }  # fmt: skip
        return ", ".join(f"{kind} {value}" for kind, value in named.items() if value)

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the signatures beside a file."""
        return tuple(ending for ending, key in ((".asc", self.gpg), (".minisig", self.minisign)) if key)


def signer(environment: Mapping[str, str] = os.environ, system: str = SYSTEM) -> Signer:
    """Who signs on a system.

    Raises:
        Problem: only a part of what is needed is named, or a program for it is missing.
    """
    given = {key: environment.get(key, "") for key in (GPG, MINISIGN, CERTIFICATE, TIMESTAMPS, IDENTITY, NOTARY)}
    match system:
        case "linux":
            found, programs = Signer(given[GPG], given[MINISIGN]), {"gpg": given[GPG], "minisign": given[MINISIGN]}
        case "windows":
            together(given, CERTIFICATE, TIMESTAMPS)
            found, programs = Signer(certificate=given[CERTIFICATE], timestamps=given[TIMESTAMPS]), {}
        case _:
            together(given, IDENTITY, NOTARY)
            found = Signer(identity=given[IDENTITY], notary=given[NOTARY])
            programs = {"codesign": given[IDENTITY], "xcrun": given[NOTARY]}
    for program, wanted in programs.items():
        if wanted and shutil.which(program) is None:
            raise Problem(f"There is no {program} here, which the key wants. Install it and start again.")
    return found


def together(given: Mapping[str, str], first: str, second: str) -> None:
    """Raises Problem: one is given and the other is not."""
    if bool(given[first]) != bool(given[second]):
        raise Problem(f"{first} and {second} are given together, or neither.")


def mark(by: Signer, stage: Path) -> None:
    """Say in the stage that the build is signed."""
    if by.by:
        file = stage / MARK
        file.write_text(by.by + "\n", "utf-8")
        file.chmod(0o644)


def sign_beside(by: Signer, file: Path) -> list[Path]:
    """The signatures of a file, each in a file of its own beside it; none where no key is named."""
    made = []
    if by.gpg:
        made.append(file.with_name(f"{file.name}.asc"))
        words = ["--batch", "--yes", "--armor", "--local-user", by.gpg, "--output", str(made[-1])]
        run("gpg", *words, "--detach-sign", str(file), quiet=True)
    if by.minisign:
        made.append(file.with_name(f"{file.name}.minisig"))
        run("minisign", "-S", "-s", by.minisign, "-m", str(file), "-x", str(made[-1]), "-t", file.name, quiet=True)
    return made


def public_keys(by: Signer, place: Path) -> list[Path]:
    """Write what people check signatures with into a folder."""
    made = []
    if by.gpg:
        made.append(place / "banksman.asc")
        made[-1].write_text(out("gpg", "--batch", "--armor", "--export", by.gpg) + "\n", "utf-8")
    if by.minisign:
        made.append(place / "banksman.pub")
        run("minisign", "-R", "-f", "-s", by.minisign, "-p", str(made[-1]), quiet=True)
    return made


def signing_words(by: Signer) -> list[str]:
    """The words that sign a program of Windows, which follows them. Raises Problem: signtool is not installed."""
    return [signtool(), "sign", "/sha1", by.certificate, "/fd", "sha256", "/tr", by.timestamps, "/td", "sha256"]


def signtool() -> str:
    """Where it is. Raises Problem: it is not installed."""
    found = shutil.which("signtool") or next(map(str, sorted(_KITS.glob("*/x64/signtool.exe"), reverse=True)), None)
    if found is None:
        raise Problem("There is no signtool here. Install the Windows SDK and start again.")
    return found
