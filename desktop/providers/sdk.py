"""The Anthropic SDK, imported at a third of its cost, and clients of it that read nothing from the environment.

`import anthropic` runs 2,800 modules, nearly all of them types of services that are not used here (about 1.1 s). The
light import below runs 180 (0.2 s with httpx2): the `__init__` of a package of the SDK is put off until a name in it is
asked for, modules that hold types of requests and answers are stood in for while the client is imported (requests here
are made with `client.post` and read as plain data, so no type is ever used; a later import finds the real ones), as are
the classes of single errors, and the adapter to aiohttp is left out. When anything of that fails, with a later SDK or
in a frozen program, the plain import is done instead.
"""

import importlib
import logging
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

from desktop.collecting import uncollected
from desktop.records import dataclass

if TYPE_CHECKING:
    import anthropic

logger = logging.getLogger(__name__)

SDK_PACKAGE = "anthropic"
_UNUSED = frozenset({f"{SDK_PACKAGE}._vendor.httpx_aiohttp"})
_ERROR_CLASSES = f"{SDK_PACKAGE}._error_classes"
_VARIABLES = ("ANTHROPIC_",)
_IMPORT_PROBLEMS = (ImportError, AttributeError, TypeError, ValueError, NameError, RecursionError, OSError)


@dataclass(frozen=True)
class Sdk:
    """The parts of the SDK that are used. `light`: it was imported the short way."""

    client: "type[anthropic.AsyncAnthropic]"
    omit: "anthropic.Omit"
    error: "type[anthropic.AnthropicError]"
    status_error: "type[anthropic.APIStatusError]"
    light: bool


_loading = threading.Lock()


def load_sdk() -> Sdk:
    """The SDK; the first call imports it, which takes 0.3 s. May be called from any thread."""
    with _loading:
        return _load()


@cache
def _load() -> Sdk:
    if SDK_PACKAGE in sys.modules:
        return _parts(light=False)
    try:
        with uncollected(), _light_import():
            return _parts(light=True)
    except _IMPORT_PROBLEMS as error:
        logger.warning("The short import of the SDK failed (%s); importing all of it.", error)
        for name in [name for name in sys.modules if _is_sdk(name)]:
            del sys.modules[name]
        return _parts(light=False)


def _parts(*, light: bool) -> Sdk:
    client = importlib.import_module(f"{SDK_PACKAGE}._client" if light else SDK_PACKAGE)
    errors = importlib.import_module(f"{SDK_PACKAGE}._exceptions" if light else SDK_PACKAGE)
    types = importlib.import_module(f"{SDK_PACKAGE}._types" if light else SDK_PACKAGE)
    return Sdk(
        client=client.AsyncAnthropic,
        omit=types.omit,
        error=errors.AnthropicError,
        status_error=errors.APIStatusError,
        light=light,
    )


@contextmanager
def without_sdk_variables() -> Iterator[None]:
    """Hide ANTHROPIC_* while a client is made: it would take headers, addresses and keys from there."""
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(_VARIABLES)}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _is_sdk(name: str) -> bool:
    return name == SDK_PACKAGE or name.startswith(f"{SDK_PACKAGE}.")


@contextmanager
def _light_import() -> Iterator[None]:
    finder = _LightFinder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.stood_in_for:
            sys.modules.pop(name, None)
            parent, _, child = name.rpartition(".")
            vars(sys.modules.get(parent, finder)).pop(child, None)


class _LightFinder(MetaPathFinder):
    def __init__(self) -> None:
        self.stood_in_for: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not _is_sdk(fullname):
            return None
        if fullname in _UNUSED:
            raise ImportError(f"{fullname} is not used", name=fullname)
        if fullname == _ERROR_CLASSES:
            self.stood_in_for.append(fullname)
            return ModuleSpec(fullname, _PlainErrorsLoader())
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec
        if spec.submodule_search_locations is not None:
            spec.loader = _LazyLoader(spec.loader)
        elif fullname.startswith(f"{SDK_PACKAGE}.types.") and not fullname.endswith("_error"):
            self.stood_in_for.append(fullname)
            return ModuleSpec(fullname, _StandInLoader())
        return spec


class _StandIn(ModuleType):
    """A module of types: each name in it is Any, which is all that annotations need."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Any


class _StandInLoader(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        return None


class _PlainErrorsLoader(_StandInLoader):
    """A class of its own for each error that a service can name, from 200 modules, is not needed: the status and the
    body of an answer tell it."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["make_status_error"] = _make_status_error


def _make_status_error(err_msg: str, *, body: object, response: object) -> Exception:
    errors = importlib.import_module(f"{SDK_PACKAGE}._exceptions")
    error: Exception = errors.APIStatusError(err_msg, response=response, body=body)
    return error


class _LazyLoader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _LazyPackage(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["_real_loader"] = self._loader


class _LazyPackage(ModuleType):
    """A package whose `__init__` has not run. A name asked for is taken from the submodule that it comes from, where
    `__init__` says so in an import; otherwise `__init__` runs."""

    def __getattr__(self, name: str) -> Any:
        loader = self.__dict__.get("_real_loader")
        if name.startswith("__") or loader is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if PathFinder.find_spec(f"{self.__name__}.{name}", self.__path__) is not None:
            return importlib.import_module(f"{self.__name__}.{name}")
        source = loader.get_source(self.__name__) or "" if isinstance(loader, InspectLoader) else ""
        pattern = rf"^from (\.[\w.]+) import (?:[^(\n]*|\([^)]*)\b{re.escape(name)}\b"
        found = re.search(pattern, source, re.MULTILINE)
        if found is not None:
            submodule = importlib.import_module(found[1], self.__name__)
            if name in vars(submodule) or isinstance(submodule, _LazyPackage | _StandIn):
                value = getattr(submodule, name)
                if value is not Any:
                    self.__dict__[name] = value
                return value
        del self.__dict__["_real_loader"]
        loader.exec_module(self)
        return getattr(self, name)
