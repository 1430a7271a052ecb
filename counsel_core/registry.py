"""Discovery of extension points: the instances that a package's modules define."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Protocol, TypeVar


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name it is chosen by."""
        ...


T = TypeVar("T", bound=Named)


def discover(package: ModuleType, kind: type[T]) -> dict[str, T]:
    """Collect the module-level instances of `kind` in a package's modules and subpackages.

    Modules whose name starts with an underscore are looked over. Two instances of one name are an
    error of the programmer: ValueError names both modules.
    """
    found: dict[str, T] = {}
    origin: dict[str, str] = {}
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if info.name.rsplit(".", 1)[1].startswith("_"):
            continue
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if not isinstance(value, kind) or found.get(value.name) is value:
                continue
            if value.name in found:
                both = f"{origin[value.name]} and {info.name}"
                raise ValueError(f"{both} both define a {kind.__name__} named {value.name!r}")
            found[value.name], origin[value.name] = value, info.name
    return dict(sorted(found.items()))
