from typing import Any

import numpy as np
import oracles
import pytest
from scipy.stats import t as student_t

from harness.statistics.clustered import clustered_mean, satterthwaite, student


def by_matrices(values: list[float], clusters: list[int]) -> tuple[float, float]:
    """Return CR2 standard error and Satterthwaite's degrees of freedom from their definitions."""
    y, ones = np.array(values), np.ones((len(values), 1))
    hat = ones @ ones.T / len(values)
    residual = np.eye(len(values)) - hat
    meat, parts = 0.0, list[Any]()
    for each in sorted(set(clusters)):
        mine = np.array(clusters) == each
        block = residual[np.ix_(mine, mine)]
        eigenvalues, vectors = np.linalg.eigh(block)
        adjust = vectors @ np.diag(eigenvalues**-0.5) @ vectors.T
        weights = adjust @ ones[mine] / len(values)
        meat += float((weights.T @ (residual @ y)[mine]).item() ** 2)
        parts.append(residual[:, mine] @ weights)
    whole: Any = np.hstack(parts)
    eigenvalues = np.linalg.eigvalsh(whole.T @ whole)
    return meat**0.5, float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


@pytest.mark.parametrize("sizes", [(19, 9, 6, 2), (3, 3), (1, 1, 1, 5), (4, 7, 2, 2, 9)])
def test_unequal_clusters_follow_the_definition(sizes: tuple[int, ...]) -> None:
    clusters = [at for at, size in enumerate(sizes) for _ in range(size)]
    values = np.random.default_rng(3).normal(size=len(clusters)).tolist()

    found = clustered_mean(values, clusters)

    assert (found.error, found.degrees) == pytest.approx(by_matrices(values, clusters))
    assert found.mean == pytest.approx(sum(values) / len(values))


@pytest.mark.parametrize("size", [1, 4])
def test_equal_clusters_agree_with_statsmodels(size: int) -> None:
    clusters = np.repeat(np.arange(6), size)
    values = np.random.default_rng(4).normal(size=len(clusters))

    ours = clustered_mean(values.tolist(), clusters.tolist())

    assert ours.error == pytest.approx(oracles.clustered_error(values.tolist(), clusters.tolist()))
    assert ours.degrees == pytest.approx(5)


def test_one_cluster_shows_nothing_of_others() -> None:
    found = clustered_mean([0.1, 0.2], ["shop", "shop"])

    assert (found.error, found.degrees, found.half_width(0.95)) == (None, None, None)


def test_its_bounds_are_students() -> None:
    found = clustered_mean([0.0, 0.1, 0.3], ["a", "b", "c"])

    assert found.half_width(0.95) == pytest.approx(student_t.ppf(0.95, 2) * (found.error or 0))
    assert student(0.975, 1.92) == pytest.approx(student_t.ppf(0.975, 1.92))
    for degrees in (0.5, 1, 1.92, 7, 35, 1_000):
        for confidence in (0.5, 0.8, 0.95, 0.975, 0.999):
            theirs = student_t.ppf(confidence, degrees)
            assert student(confidence, degrees) == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    assert satterthwaite([1] * 7) == pytest.approx(6)


def test_values_without_clusters_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values and 1 clusters"):
        clustered_mean([0.1, 0.2], ["a"])
