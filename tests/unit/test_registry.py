from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from counsel_core.registry import discover


@dataclass(frozen=True)
class Plug:
    name: str


def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, **files: str) -> ModuleType:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "plug_kind.py").write_text(
        "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Plug:\n    name: str\n"
    )
    for file, text in files.items():
        (folder / f"{file}.py").write_text(f"from {name}.plug_kind import Plug\n{text}\n")
    monkeypatch.syspath_prepend(tmp_path)
    package = __import__(name)
    monkeypatch.delitem(sys.modules, name)
    return package


def test_collects_instances_sorted_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = _package(tmp_path, monkeypatch, "plugs_a", b="B = Plug('b')", a="A = Plug('a')")
    kind = __import__("plugs_a.plug_kind", fromlist=["Plug"]).Plug
    assert list(discover(package, kind)) == ["a", "b"]


def test_passes_over_private_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = _package(tmp_path, monkeypatch, "plugs_b", _base="X = Plug('x')", a="A = Plug('a')")
    kind = __import__("plugs_b.plug_kind", fromlist=["Plug"]).Plug
    assert list(discover(package, kind)) == ["a"]


def test_one_instance_seen_in_two_modules_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = _package(
        tmp_path, monkeypatch, "plugs_c", a="A = Plug('a')", b="from plugs_c.a import A\nB = A"
    )
    kind = __import__("plugs_c.plug_kind", fromlist=["Plug"]).Plug
    assert list(discover(package, kind)) == ["a"]


def test_two_of_one_name_are_refused_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = _package(tmp_path, monkeypatch, "plugs_d", a="A = Plug('same')", b="B = Plug('same')")
    kind = __import__("plugs_d.plug_kind", fromlist=["Plug"]).Plug
    with pytest.raises(ValueError, match=r"plugs_d\.a and plugs_d\.b both define a Plug named 'same'"):
        discover(package, kind)
