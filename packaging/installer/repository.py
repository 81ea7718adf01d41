"""A repository of Debian packages that apt reads from one flat folder, signed by GPG."""

from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from installer.describe import sha256_hex
from installer.ground import out, run

INDEX, RELEASE = "Packages", "Release"


def write_repository(place: Path, key: str, time: int) -> list[Path]:
    """Write what apt reads beside the packages of a folder; the files. `key`: a fingerprint that gpg has; `time`: of
    the version, in seconds since 1970."""
    packages = sorted(place.glob("*.deb"))
    index = place / INDEX
    index.write_text("\n".join(map(entry, packages)), "utf-8")
    machines = sorted({out("dpkg-deb", "--field", str(one), "Architecture") for one in packages})
    release, day = place / RELEASE, format_datetime(datetime.fromtimestamp(time, UTC), usegmt=True)
    release.write_text(
        "Origin: Banksman\nLabel: Banksman\nSuite: stable\nCodename: stable\n"
        f"Architectures: {' '.join(machines)}\nDate: {day}\n"
        f"SHA256:\n {sha256_hex(index)} {index.stat().st_size} {INDEX}\n",
        "utf-8",
    )
    signed = [place / "InRelease", place / f"{RELEASE}.gpg"]
    words = ["gpg", "--batch", "--yes", "--armor", "--local-user", key, "--output"]
    run(*words, str(signed[0]), "--clearsign", str(release), quiet=True)
    run(*words, str(signed[1]), "--detach-sign", str(release), quiet=True)
    return [index, release, *signed]


def entry(package: Path) -> str:
    """What apt knows of one package."""
    control = out("dpkg-deb", "--field", str(package))
    return f"{control}\nFilename: ./{package.name}\nSize: {package.stat().st_size}\nSHA256: {sha256_hex(package)}\n"
