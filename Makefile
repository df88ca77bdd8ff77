PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# What is checked under its import name; see [tool.pyright] in pyproject.toml.
PACKAGE := $(wildcard *.py) py.typed analysis dialects interpreter lowering passes runtime testing tools validation

.PHONY: demo quick test test-all soak lint typecheck filecheck pytest pytest-core \
  pytest-optimised format docs fuzz mutants fuzz-ir check-barrier check-pool \
  fuzz-waves fuzz-rows fuzz-cuda fuzz-validation bench bench-startup bench-barrier bench-calls bench-cuda bench-first-results \
  bench-reference bench-spills bench-host-plan bench-waves clean

# Else each process that is started compiles all modules.
unexport PYTHONDONTWRITEBYTECODE

# A graph of six nodes: 0 -> 1 -> 3 -> 4 and 0 -> 2, and node 5 on its own.
demo: $(VENV)/installed
	$(BIN)/vyre-run examples/reachability.mlir --grid 2 --explain --time \
	  --in offsets=0,2,3,3,4,4,4 --in targets=1,2,3,4 --in reached=1,0,0,0,0,0 \
	  --in 'seen=zeros(6)' --in 'fresh=zeros(6)'

# Says how many processor seconds it took; CONTRIBUTING.md has the limit.
test: $(VENV)/installed
	$(BIN)/python tests/processor_seconds.py $(MAKE) --jobs=2 lint typecheck pytest

# Lint, types, FileCheck, and the core of each package.
quick: $(VENV)/installed
	$(BIN)/python tests/processor_seconds.py $(MAKE) --jobs=2 lint typecheck pytest-core

# As `test` with all samples in full, in random order (see its first lines for the seed),
# without assertions, and FileCheck with lit.
test-all: $(VENV)/installed
	VYRE_TESTS=all $(BIN)/python tests/processor_seconds.py \
	  $(MAKE) PYTEST='$(PYTEST) -p randomly' lint typecheck pytest pytest-optimised filecheck

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

typecheck: $(VENV)/installed
	rm -rf build/typecheck && mkdir -p build/typecheck/vyre
	for part in $(PACKAGE); do ln -s ../../../$$part build/typecheck/vyre/$$part; done
	$(BIN)/basedpyright --pythonpath $(BIN)/python

filecheck: $(VENV)/installed
	$(BIN)/lit --verbose --order=lexical tests/filecheck

PYTEST := $(BIN)/pytest -n 2 --dist worksteal
pytest: $(VENV)/installed
	$(PYTEST)

pytest-core: $(VENV)/installed
	$(PYTEST) -m core

# Where Python's own assertions do not count; those of tests do, as pytest rewrites them. It
# warns that it rewrites no others.
pytest-optimised: $(VENV)/installed
	PYTHONOPTIMIZE=1 $(PYTEST) -W ignore::pytest.PytestConfigWarning -m core

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/installed
	$(BIN)/python docs/dialect_page.py --write
	$(BIN)/python docs/architecture_page.py --write
	$(BIN)/python docs/pictures.py --write

N ?= 1000
SEED ?= 0
fuzz-ir: $(VENV)/installed
	$(BIN)/python tests/fuzz/mutated_ir.py --count $(N) --seed $(SEED)

fuzz-cuda: $(VENV)/installed
	$(BIN)/python tests/fuzz/cuda_soundness.py --count $(N) --seed $(SEED)

fuzz: $(VENV)/installed
	$(BIN)/python tests/fuzz/split_soundness.py --count $(N) --seed $(SEED) --coverage

fuzz-waves: $(VENV)/installed
	$(BIN)/python tests/fuzz/wave_soundness.py --count $(N) --seed $(SEED)
	$(BIN)/python tests/fuzz/literal_soundness.py --count $(N) --seed $(SEED)

# All fuzzers with new seeds, for nights; SEEDS='1 2' repeats these.
HOURS ?= 8
SEEDS ?=
soak: check-barrier
	$(BIN)/python tests/fuzz/soak.py --hours $(HOURS) --seeds $(SEEDS)

fuzz-rows: $(VENV)/installed
	$(BIN)/python tests/fuzz/row_soundness.py --count $(N) --seed $(SEED)

# Right schedules, edited ones, and those of passes with one mistake; hours for N=20000.
fuzz-validation: $(VENV)/installed
	$(BIN)/python tests/fuzz/validation_soundness.py accept --count $(N) --seed $(SEED)
	$(BIN)/python tests/fuzz/validation_soundness.py edits --count $(N) --seed $(SEED)
	$(BIN)/python tests/fuzz/validation_mutants.py --seed $(SEED)

mutants: $(VENV)/installed
	$(BIN)/python tests/fuzz/mutants.py --seed $(SEED)
	$(BIN)/python tests/fuzz/source_score.py --seed $(SEED)

# All that may happen at the grid barrier of CUDA kernels; minutes.
check-barrier: $(VENV)/installed
	$(BIN)/python tests/model/check_grid_barrier.py

# All that may happen where workers of the CPU engine wait and are woken; minutes.
check-pool: $(VENV)/installed
	$(BIN)/python tests/model/check_pool.py

# Ten workloads against C, Numba, NumPy, JAX, Taichi, Warp and PoCL; needs gcc for C.
bench: $(VENV)/bench-installed
	$(BIN)/python -m benchmarks.run

$(VENV)/bench-installed: $(VENV)/installed
	$(BIN)/pip install --quiet --editable '.[bench]'
	touch $@

bench-barrier: $(VENV)/installed
	$(BIN)/python benchmarks/barrier.py

bench-calls: $(VENV)/installed
	$(BIN)/python benchmarks/calls.py

# Instructions of CUDA kernels beside hand-written ones, and registers of those of all
# examples; needs no device.
bench-cuda: $(VENV)/installed
	$(BIN)/python -m benchmarks.cuda_quality
	$(BIN)/python -m benchmarks.cuda_registers

bench-first-results: $(VENV)/installed
	$(BIN)/python benchmarks/first_results.py

bench-startup: $(VENV)/installed
	$(BIN)/python benchmarks/startup.py

bench-reference: $(VENV)/installed
	$(BIN)/python benchmarks/reference.py

bench-spills: $(VENV)/installed
	$(BIN)/python benchmarks/spills.py

bench-host-plan: $(VENV)/installed
	$(BIN)/python benchmarks/host_plan.py

# Plans of 100,000 waves with 1,000,000 dependencies.
bench-waves: $(VENV)/installed
	$(BIN)/python benchmarks/waves.py

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "Vyre needs Python 3.11 or newer; choose one with `make PYTHON=python3.12`")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache
