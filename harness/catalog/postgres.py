"""The same search in PostgreSQL with pgvector: labels in WHERE, cosine distance in ORDER BY.

What differs from a plain reading of the published query is what makes it agree with the embedded search:

- An entry's label may be a list, so labels are tested by containment in jsonb.
- pgvector's distance to a vector without length is NaN, which PostgreSQL takes for the largest number: such
  an entry would pass every threshold. Its confidence is 0.
- Ties are broken by id, in the order of code points whatever the database's collation is.
- No index over the vectors: an approximate one is asked before labels filter, and loses matches.

Catalogs are loaded into a temporary table, each on its first search. Nothing stays in the database.
"""

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

from harness.catalog.meaning import Embedder
from harness.catalog.search import SearchResult, hit_of
from harness.errors import InvalidInput
from harness.model.catalog import Entry
from harness.model.values import digest

CREATE = """
CREATE TEMPORARY TABLE workflow_catalog (
    catalog text, position integer, workflow_id text, status text, is_latest_version boolean,
    labels jsonb, embedding vector({size}), entry json, PRIMARY KEY (catalog, position)
)"""

INSERT = """
INSERT INTO pg_temp.workflow_catalog VALUES (%s, %s, %s, %s, %s, %s::jsonb, %s, %s::json)"""

SEARCH = """
WITH ranked AS (
    SELECT entry, workflow_id, position,
           coalesce(nullif(1 - (embedding <=> %(query)s), 'NaN'), 0) AS confidence
    FROM pg_temp.workflow_catalog
    WHERE catalog = %(catalog)s AND status = 'active' AND is_latest_version{labels}
)
SELECT entry, confidence, count(*) OVER () AS total
FROM ranked
WHERE confidence >= %(min_confidence)s
ORDER BY confidence DESC, workflow_id COLLATE "C", position
LIMIT %(max_results)s"""

LABEL = " AND labels -> %(name_{n})s @> to_jsonb(%(value_{n})s::text)"


class PostgresCatalog:
    """An open database; called like `search_catalog`, it finds what that finds when it ranks by meaning."""

    def __init__(self, connection: Any, embedder: Embedder, threshold: float | None = None) -> None:
        self._connection = connection
        self._embedder = embedder
        self._threshold = threshold
        self._loaded: set[str] = set()
        self.searches = 0
        self.server = str(connection.execute("SELECT current_setting('server_version')").fetchone()[0])
        self.pgvector = _pgvector_of(connection)
        connection.execute(CREATE.format(size=embedder.size))

    def __call__(
        self,
        entries: Iterable[Entry],
        query: str,
        labels: Mapping[str, Any],
        *,
        min_confidence: float,
        max_results: int,
    ) -> SearchResult:
        """Return what a search finds among active, latest entries; arguments as in `search_catalog`.

        Raises:
            InvalidInput: the database does not answer, or cannot hold the catalog.
        """
        if not all(_storable(value) for value in labels.values()):
            # No label of any entry in a database is such a value, so that it cannot match.
            return SearchResult((), 0)
        catalog = list(entries)
        values: dict[str, Any] = {
            "query": self._embedder.embed(query),
            "catalog": self._load(catalog),
            "min_confidence": float(min_confidence) if self._threshold is None else self._threshold,
            # At most all of them; a larger number need not be one that SQL knows.
            "max_results": min(max_results, len(catalog)),
        }
        for n, (name, value) in enumerate(labels.items()):
            values[f"name_{n}"], values[f"value_{n}"] = _key(name), value
        tests = "".join(LABEL.format(n=n) for n in range(len(labels)))
        rows = self._execute(SEARCH.format(labels=tests), values).fetchall()
        self.searches += 1
        hits = [hit_of(Entry.model_validate(entry), confidence) for entry, confidence, _ in rows]
        return SearchResult(tuple(hits), rows[0][2] if rows else 0)

    def _load(self, catalog: Sequence[Entry]) -> str:
        """Return the digest of a catalog, which stands in the table then."""
        written = [each.model_dump(mode="json") for each in catalog]
        name = digest(written)
        if name not in self._loaded:
            rows = [
                (
                    name, place, entry.workflow_id, entry.status, entry.is_latest_version,
                    json.dumps(entry.labels), self._embedder.embed(entry.description), json.dumps(row),
                )
                for place, (entry, row) in enumerate(zip(catalog, written, strict=True))
            ]  # fmt: skip
            with self._connection.transaction():
                for row in rows:
                    self._execute(INSERT, row)
            self._loaded.add(name)
        return name

    def _execute(self, statement: str, values: Any) -> Any:
        try:
            return self._connection.execute(statement, values)
        except _psycopg().Error as error:
            raise InvalidInput(f"catalog database: {_said(error)}; start it, or search without it") from error


@contextmanager
def open_postgres(
    address: str, embedder: Embedder, threshold: float | None = None
) -> Generator[PostgresCatalog]:
    """Give a database to search with, and take back what was loaded into it.

    Args:
        address: a connection string or URL, as psycopg takes it; it may hold a password and is never shown.
        embedder: gives the vectors of queries and descriptions.
        threshold: takes the place of every search's own, which was not measured with this embedder.

    Raises:
        InvalidInput: the extra is not installed, or the database cannot be used.
    """
    psycopg = _psycopg()
    try:
        connection = psycopg.connect(address, autocommit=True)
    except psycopg.Error as error:
        raise InvalidInput(f"catalog database: {_said(error)}; name one that can be reached") from error
    with connection:
        catalog = PostgresCatalog(connection, embedder, threshold)
        import_module("pgvector.psycopg").register_vector(connection)
        yield catalog


def _psycopg() -> Any:
    try:
        return import_module("psycopg")
    except ImportError as error:
        message = f"catalog database: {error.name} is not installed; pip install 'contract-harness[pgvector]'"
        raise InvalidInput(message) from error


def _pgvector_of(connection: Any) -> str:
    found = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    if found is None:
        message = "catalog database: it has no extension 'vector'; run CREATE EXTENSION vector in it"
        raise InvalidInput(message)
    return str(found[0])


def _key(name: str) -> str:
    return "kubernaut.io/" + name.replace("_", "-")


def _storable(value: Any) -> bool:
    """Return whether PostgreSQL has such a text: it knows no NUL and no lone surrogate."""
    if not isinstance(value, str) or "\0" in value:
        return False
    return value.encode(errors="ignore").decode() == value


def _said(error: Any) -> str:
    """Return the first line that psycopg or the server said."""
    return next(iter(str(cast("object", error)).strip().splitlines()), type(error).__name__)[:300]
