"""What changed between two JSON objects, so that a turn stores its change and not the whole state.

A delta is itself JSON. `{}` is no change, `{"put": v}` replaces a value. In an object, `drop` lists the
keys removed, `set` holds the new ones, `change` the deltas of those kept, `order` the keys' order where
it differs from what these leave. In a list, `splice` holds (position, number cut, what is put there),
and `change` the deltas of its elements by position.

>>> diff({"insights": ["a"], "n": 1}, {"insights": ["a", "b"], "n": 1})
{'change': {'insights': {'splice': [1, 0, ['b']]}}}
"""

from __future__ import annotations

import marshal
from typing import Any

from counsel_core.records import Json

_EQUAL_MEANS_SAME = (str, int, bool)


def diff(old: Any, new: Any) -> Json:
    """Return the delta that makes `new` of `old`: `apply(old, diff(old, new)) == new`, order included."""
    # The same string, number or part: memories keep most of theirs, and an `is` costs nothing.
    if old is new or (type(old) is type(new) and type(old) in _EQUAL_MEANS_SAME and old == new):
        return {}
    if _same(old, new):
        return {}
    if isinstance(old, dict) and isinstance(new, dict):
        return _diff_objects(old, new)
    if isinstance(old, list) and isinstance(new, list):
        return _diff_lists(old, new)
    return {"put": new}


def apply(old: Any, delta: Json) -> Any:
    """Return `old` changed by a delta; `old` itself stays as it is, unchanged parts are shared."""
    if "put" in delta:
        return delta["put"]
    if not delta:
        return old
    return _apply_to_object(old, delta) if isinstance(old, dict) else _apply_to_list(old, delta)


def _same(old: Any, new: Any) -> bool:
    """Equality of JSON values and of their order, where 1, 1.0 and True differ, as do 0.0 and -0.0.

    Compared as marshalled bytes: in C, so that a long memory costs next to nothing. Format 2 is the
    last without references, which would tell apart equal values by how they came about.
    """
    return marshal.dumps(old, 2) == marshal.dumps(new, 2)


def _diff_objects(old: Json, new: Json) -> Json:
    delta: Json = {}
    if dropped := [key for key in old if key not in new]:
        delta["drop"] = dropped
    if added := {key: value for key, value in new.items() if key not in old}:
        delta["set"] = added
    changes = {
        key: change
        for key, value in old.items()
        if key in new and value is not new[key] and (change := diff(value, new[key]))
    }
    if changes:
        delta["change"] = changes
    if [key for key in old if key in new] + list(added) != list(new):
        delta["order"] = list(new)
    return delta


def _diff_lists(old: list[Any], new: list[Any]) -> Json:
    if _same(old, new[: len(old)]):
        return {"splice": [len(old), 0, new[len(old) :]]}
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if not _same(old[at], new[at])), shorter)
    limit = shorter - start
    end = next((at for at in range(limit) if not _same(old[-1 - at], new[-1 - at])), limit)
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    if len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True), start)
        changes = {str(at): change for at, (one, other) in pairs if (change := diff(one, other))}
        return {"change": changes} if changes else {}
    return {"splice": [start, len(before), after]}


def _apply_to_object(old: Json, delta: Json) -> Json:
    dropped, changes = set(delta.get("drop", ())), delta.get("change", {})
    new = {
        key: apply(value, changes[key]) if key in changes else value
        for key, value in old.items()
        if key not in dropped
    }
    new.update(delta.get("set", {}))
    return {key: new[key] for key in delta["order"]} if "order" in delta else new


def _apply_to_list(old: list[Any], delta: Json) -> list[Any]:
    new = list(old)
    for at, change in delta.get("change", {}).items():
        new[int(at)] = apply(new[int(at)], change)
    if "splice" in delta:
        start, cut, put = delta["splice"]
        new[start : start + cut] = put
    return new
