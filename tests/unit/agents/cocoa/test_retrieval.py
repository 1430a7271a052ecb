import numpy as np
import pytest

from counsel_core.agents.cocoa.memory import Distortion, Insight
from counsel_core.agents.cocoa.retrieval import Retrieved, retrieve
from counsel_core.language.embeddings import CachedEmbedder, character_ngrams


def test_the_nearest_of_each_memory_come_first(letter_embedder):
    insights = [Insight("ab", 1), Insight("aa", 2), Insight("zz", 3)]
    distortions = [Distortion("b", "c", 3, 1), Distortion("a", "a", 3, 2)]
    found = retrieve(insights, distortions, "a", letter_embedder, top_k=2)
    # Cosines with "a" over letters: "aa" 1, "ab" 1/√2, "zz" 0; "a: a" 1, "b: c" 0.
    assert [(one.memory, one.text, one.turn) for one in found] == [
        ("basic", "aa", 2),
        ("basic", "ab", 1),
        ("distortion", "a: a", 2),
        ("distortion", "b: c", 1),
    ]
    assert [one.similarity for one in found] == pytest.approx([1, 2**-0.5, 1, 0])


def test_of_equally_near_entries_the_later_comes_first(letter_embedder):
    found = retrieve([Insight("ab", 1), Insight("ba", 4)], [], "a", letter_embedder, top_k=1)
    assert found == (Retrieved("basic", "ba", pytest.approx(2**-0.5), 4),)


def test_empty_memories_give_nothing(letter_embedder):
    assert retrieve([], [], "a", letter_embedder, top_k=5) == ()


def test_at_most_top_k_of_each_memory():
    insights = [Insight(f"第{number}条", number) for number in range(1, 9)]
    found = retrieve(insights, [], "第三条", character_ngrams(), top_k=5)
    assert len(found) == 5
    assert all(-1.001 <= one.similarity <= 1.001 for one in found)


def test_as_json_is_plain():
    row = Retrieved("basic", "x", float(np.float32(1 / 3)), 2).as_json()
    assert row == {"memory": "basic", "text": "x", "similarity": 0.3333, "turn": 2}


def test_a_whole_memory_is_embedded_in_one_go():
    sizes = []

    def encode(texts):
        sizes.append(len(texts))
        return np.ones((len(texts), 1), dtype=np.float32)

    retrieve([Insight(str(n), n) for n in range(40)], [], "q", CachedEmbedder("x", 1, encode), top_k=5)
    assert sizes == [1, 40]
