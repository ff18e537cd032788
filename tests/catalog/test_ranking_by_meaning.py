"""Ranking by meaning: a cosine and no more, behind the same filter, threshold and limit."""

import numpy as np
import pytest

from harness.catalog import search_catalog
from harness.catalog.meaning import by_meaning, cosine, hashing, open_embedder
from harness.errors import UnknownName
from harness.model import Scenario

LIVE = {"signal_type": "OOMKilled", "severity": "critical", "environment": "production"}


def vector(*numbers: float) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    return np.array(numbers, np.float32)


def test_the_cosine_knows_direction_alone() -> None:
    assert cosine(vector(1, 0), vector(5, 0)) == 1.0
    assert cosine(vector(1, 0), vector(0, 3)) == 0.0
    assert cosine(vector(1, 0), vector(-2, 0)) == -1.0
    assert cosine(vector(3, 4), vector(4, 3)) == pytest.approx(0.96)


def test_a_vector_without_length_is_like_nothing() -> None:
    assert cosine(vector(0, 0), vector(1, 0)) == 0.0
    assert not hashing().embed("!!! ???").any()


def test_hashed_words_count_whatever_their_case_and_order() -> None:
    embed = hashing().embed

    assert cosine(embed("Memory limit, memory"), embed("LIMIT memory memory")) == 1.0
    assert cosine(embed("memory limit"), embed("certificate expired")) < 0.5


def test_a_hostile_text_is_cut_and_cleaned() -> None:
    embed = hashing().embed

    assert embed("word " * 10_000).sum() == 800
    assert embed("memory \ud800").sum() == 1


def test_the_search_takes_another_ranker(incident: Scenario) -> None:
    rank = by_meaning(hashing())
    found = search_catalog(incident.catalog, "replicas", LIVE, min_confidence=0.1, max_results=10, rank=rank)

    entry = next(each for each in incident.catalog if each.workflow_id == "add-replicas")
    assert [(hit.id, hit.confidence) for hit in found.hits] == [("add-replicas", rank("replicas", entry))]


def test_an_unknown_embedder_is_named_with_those_that_are_known() -> None:
    with pytest.raises(UnknownName, match="'minilm'"):
        open_embedder("mini")
