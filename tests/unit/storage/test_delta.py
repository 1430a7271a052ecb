import json

from hypothesis import given
from hypothesis import strategies as st

from counsel_core.storage.delta import apply, diff

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=2), inner, max_size=5),
    max_leaves=25,
)


@given(VALUES, VALUES)
def test_applying_a_difference_gives_the_new_value_with_its_types_and_its_order(old, new):
    before = json.dumps(old)
    delta = json.loads(json.dumps(diff(old, new)))
    # Compared as JSON text: that tells 1 from 1.0 and from true, and one order of keys from another.
    assert json.dumps(apply(old, delta)) == json.dumps(new)
    assert json.dumps(old) == before


@given(VALUES)
def test_no_change_is_an_empty_delta(value):
    assert diff(value, json.loads(json.dumps(value))) == {}


@given(st.lists(VALUES, max_size=6), VALUES)
def test_an_appended_list_costs_what_is_appended(memory, insight):
    old, new = {"insights": memory}, {"insights": [*memory, insight]}
    delta = diff(old, new)
    # 60 bytes are more than the names of the keys and two numbers around the element.
    assert len(json.dumps(delta)) <= len(json.dumps(insight)) + 60


def test_a_changed_element_and_a_window_that_slides_cost_their_own_size():
    long = [{"type": "Labeling", "utterance": "x" * 200, "severity": 3} for _ in range(50)]
    relabelled = [*long[:20], {**long[20], "severity": 4}, *long[21:]]
    assert diff(long, relabelled) == {"change": {"20": {"change": {"severity": {"put": 4}}}}}
    assert diff(["a", "b", "c"], ["b", "c", "d"])["change"].keys() == {"0", "1", "2"}


def test_one_is_not_true():
    assert diff({"n": 1}, {"n": True}) == {"change": {"n": {"put": True}}}
    assert apply({"n": 1}, diff({"n": 1}, {"n": True}))["n"] is True
