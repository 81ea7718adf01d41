"""The browser that pictures of pages are taken with: found, and started so that it reaches no more than it must."""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from desktop.config.folders import typed_path
from desktop.services.processes.environment import clean_path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
_APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--metrics-recording-only",
    "--mute-audio",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-quic",
    "--password-store=basic",
    "--use-mock-keychain",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-pings",
    "--disable-client-side-phishing-detection",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication",
)
_NOWHERE = "http://127.0.0.1:9"
LANE_HOST = "lane.localhost"
"""Files of a lane are shown under this name; nothing answers there but Banksman itself."""


def find_browser(setting: str, env: Mapping[str, str], *, lane_root: Path | None = None) -> str:
    """The absolute path of a browser that can work without a window: the one that was set, else a known one; "" for
    none. A program of the lane is never taken. Blocking (a millisecond)."""
    if setting:
        chosen = typed_path(setting)
        return str(chosen) if chosen.is_absolute() and chosen.is_file() and os.access(chosen, os.X_OK) else ""
    path = clean_path(env.get("PATH", ""), lane_root)
    found = next((place for name in NAMES if (place := shutil.which(name, path=path))), "")
    if not found and sys.platform == "darwin":
        found = next((place for place in _APPLICATIONS if Path(place).is_file()), "")
    return str(Path(found).absolute()) if found else ""


def browser_arguments(browser: str, profile: Path, ports: Iterable[int], *, confined: bool) -> tuple[str, ...]:
    """The arguments of the browser: everything but these ports of this computer is sent to where nothing answers.

    `confined`: a sandbox is around it, inside which its own one cannot come up.
    """
    own = [f"{host}:{port}" for port in sorted(set(ports)) for host in ("127.0.0.1", "localhost", "[::1]")]
    flags = [*_FLAGS, f"--user-data-dir={profile}", f"--proxy-server={_NOWHERE}"]
    flags.append("--proxy-bypass-list=" + ";".join(("<-loopback>", *own)))
    flags.append("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1")
    if confined or (sys.platform == "linux" and os.geteuid() == 0):
        flags.append("--no-sandbox")
    return (browser, *flags, "about:blank")
