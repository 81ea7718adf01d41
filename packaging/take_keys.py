#!/usr/bin/env python3
"""In CI, give the keys among the workflow's secrets to the programs that sign, and name them to the steps that follow.

    python3 packaging/take_keys.py

Secrets come as variables; one that is empty is not there, and nothing is signed with it. Linux: SIGN_GPG (a private key
in armour), SIGN_MINISIGN (the text of a secret key). Windows: SIGN_CERTIFICATE (a .pfx in base64), SIGN_PASSWORD,
SIGN_TIMESTAMPS (an address). macOS: SIGN_CERTIFICATE (a .p12 in base64), SIGN_PASSWORD, SIGN_APPLE_ID, SIGN_TEAM,
SIGN_APP_PASSWORD. Keys of Linux have no passphrase. Standard library only.
"""

import base64
import binascii
import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from installer.ground import SYSTEM, Problem
from installer.signing import CERTIFICATE, GPG, IDENTITY, MINISIGN, NOTARY, TIMESTAMPS

PROFILE = "banksman"
LIMIT_S = 300
_IMPORT = """
$password = ConvertTo-SecureString $env:SIGN_PASSWORD -AsPlainText -Force
$store = "Cert:\\CurrentUser\\My"
(Import-PfxCertificate -FilePath $env:SIGN_FILE -CertStoreLocation $store -Password $password).Thumbprint
"""


def main(system: str = SYSTEM) -> int:
    """0 when each key that is there can sign; else one sentence on stderr."""
    takers: dict[str, Callable[[Path], dict[str, str]]] = {"linux": linux, "windows": windows, "macos": macos}
    try:
        named = takers[system](Path(os.environ["RUNNER_TEMP"]))
    except (Problem, KeyError) as problem:
        print(f"take_keys: {problem}", file=sys.stderr)
        return 2
    with Path(os.environ["GITHUB_ENV"]).open("a", encoding="utf-8") as later:
        later.writelines(f"{key}={value}\n" for key, value in named.items())
    print(f"named: {', '.join(named) or 'none; what is built will say that nobody signed it'}")
    return 0


def linux(place: Path) -> dict[str, str]:
    """Keys of gpg and minisign."""
    named = {}
    if key := given("SIGN_GPG"):
        done("gpg", "--batch", "--quiet", "--import", told=key)
        listed = done("gpg", "--batch", "--list-secret-keys", "--with-colons")
        named[GPG] = next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr"))
    if key := given("SIGN_MINISIGN"):
        file = kept(place / "minisign.key", (key.strip() + "\n").encode())
        named[MINISIGN] = str(file)
    return named


def windows(place: Path) -> dict[str, str]:
    """A certificate in the person's store."""
    if not given("SIGN_CERTIFICATE"):
        return {}
    file = kept(place / "certificate.pfx", decoded("SIGN_CERTIFICATE"))
    try:
        found = done("pwsh", "-NoProfile", "-Command", _IMPORT, environment={"SIGN_FILE": str(file)}).split()
    finally:
        file.unlink()
    return {CERTIFICATE: found[-1], TIMESTAMPS: given("SIGN_TIMESTAMPS")}


def macos(place: Path) -> dict[str, str]:
    """A Developer ID in a keychain of its own, and the profile of notarytool in it."""
    if not given("SIGN_CERTIFICATE"):
        return {}
    file, keychain = kept(place / "certificate.p12", decoded("SIGN_CERTIFICATE")), str(place / "signing.keychain-db")
    password = secrets.token_hex()
    try:
        done("security", "create-keychain", "-p", password, keychain)
        done("security", "set-keychain-settings", "-lut", "21600", keychain)
        done("security", "unlock-keychain", "-p", password, keychain)
        words = ["-k", keychain, "-P", given("SIGN_PASSWORD"), "-T", "/usr/bin/codesign"]
        done("security", "import", str(file), *words)
    finally:
        file.unlink()
    done("security", "set-key-partition-list", "-S", "apple-tool:,apple:", "-s", "-k", password, keychain)
    done("security", "list-keychains", "-d", "user", "-s", keychain)
    done("security", "default-keychain", "-d", "user", "-s", keychain)
    account = ["--apple-id", given("SIGN_APPLE_ID"), "--team-id", given("SIGN_TEAM")]
    done("xcrun", "notarytool", "store-credentials", PROFILE, *account, "--password", given("SIGN_APP_PASSWORD"))
    identities = done("security", "find-identity", "-v", "-p", "codesigning", keychain).split()
    found = next((word for word in identities if len(word) == 40), None)
    if found is None:
        raise Problem("SIGN_CERTIFICATE holds no identity that can sign.")
    return {IDENTITY: found, NOTARY: PROFILE}


def given(secret: str) -> str:
    """One of the secrets, "" where it is not there."""
    return os.environ.get(secret, "")


def decoded(secret: str) -> bytes:
    """Its bytes. Raises Problem: it is not base64."""
    try:
        return base64.b64decode("".join(given(secret).split()), validate=True)
    except binascii.Error as error:
        raise Problem(f"{secret} is not base64.") from error


def kept(file: Path, content: bytes) -> Path:
    """A file that only its owner reads."""
    file.touch(mode=0o600)
    file.write_bytes(content)
    return file


def done(*command: str, told: str | None = None, environment: Mapping[str, str] | None = None) -> str:
    """What a program prints, `told` on its stdin.

    Raises:
        Problem: it failed; its words are not repeated, as a secret may be among them.
    """
    try:
        ended = subprocess.run(
            command, input=told, env={**os.environ, **(environment or {})}, capture_output=True, text=True,
            timeout=LIMIT_S, check=False,
        )  # fmt: skip
    except OSError as error:
        raise Problem(f"{command[0]} cannot be run: {error.strerror}.") from error
    if ended.returncode != 0:
        raise Problem(f"{' '.join(command[:2])} ended with {ended.returncode}.")
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main())
