# `make run` starts the app and `make test` runs the tests; both set up .venv first.
PYTHON ?= python3
PORT ?= 8501
BIN := .venv/bin
# Settings that make this processor round like another one: in the matrix products of all networks,
# in their other operations, and in recurrent networks with singular values and in convolutions.
OTHER_PROCESSORS := OPENBLAS_CORETYPE=Nehalem ATEN_CPU_CAPABILITY=default MKL_CBWR=COMPATIBLE,DNNL_MAX_CPU_ISA=SSE41

# Keep compiled Python files, because the tests start many servers and workers.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test verify bench soak previews thumbnails lint format wheel pins clean

run: .venv/.run
	$(BIN)/python -m bnviz serve --port $(PORT)

test: .venv/.dev
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal --durations 30

# Long checks for a release: property tests with new examples, long tests, the suite with the rounding
# of other processors, forty planted faults that the suite must catch, faulty engines that the claims
# must catch, and hours of lectures in minutes. Attacks on a server run alone, because they are timed.
verify: .venv/.dev
	BNVIZ_NEW_EXAMPLES=1 $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal -m "verify or not verify" \
		--ignore=tests/red_team
	$(BIN)/python -m pytest -m "verify or not verify" tests/red_team
	for other in $(OTHER_PROCESSORS); do \
		echo "As with $$other"; \
		env $$(echo $$other | tr , ' ') $(BIN)/python -m pytest --ignore=tests/browser \
			--numprocesses auto --maxprocesses 4 --dist worksteal || exit 1; \
	done
	$(BIN)/python -m tests.other_versions
	$(BIN)/python -m tests.planted_faults
	$(BIN)/python -m tests.planted_engines
	$(BIN)/python -m benchmarks.soak

bench: .venv/.dev
	$(BIN)/python -m benchmarks

soak: .venv/.dev
	$(BIN)/python -m benchmarks.soak

# Take the pictures beside links to the pages again, after a change of their appearance.
previews: .venv/.dev
	$(BIN)/python -m benchmarks.previews

# Take the small pictures of charts in the gallery again, after a new or changed chart.
thumbnails: .venv/.dev
	$(BIN)/python -m benchmarks.chart_pictures

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Build dist/bnviz-<version>-py3-none-any.whl.
wheel: .venv/.dev
	$(BIN)/python -m hatchling build -t wheel

# Pin all packages with their hashes, after a change in pyproject.toml. With UPGRADE=--upgrade, take the
# newest versions that pyproject.toml allows; then give requirements.txt the same versions.
pins: .venv/.dev
	$(BIN)/uv pip compile --quiet $(UPGRADE) pyproject.toml -c requirements.txt -o constraints.txt
	$(BIN)/uv pip compile --quiet $(UPGRADE) pyproject.toml --group dev -c constraints.txt -o requirements-dev.txt
	$(BIN)/uv pip compile --quiet $(UPGRADE) --group cluster -c requirements-dev.txt -o requirements-cluster.txt

clean:
	rm -rf .venv dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache

# Every package is checked against its hash, except torch, whose build depends on the machine.
.venv/.run: requirements.txt constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bnviz needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r constraints.txt
	$(BIN)/python -m pip install --quiet $$(grep '^torch==' requirements.txt)
	touch $@

.venv/.dev: .venv/.run requirements-dev.txt
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.txt
	touch $@
