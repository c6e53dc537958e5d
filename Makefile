# make lab     install what is needed (the first time) and open the first lesson
# make test    run every test and every notebook
# make build   write the notebooks again, where a source changed
# make check   say whether the notebooks are what the sources give
# make clean   remove the virtual environment and everything that can be made again

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: lab test build check clean

# In a container one often is root, which Jupyter wants to hear.
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)

lab: $(INSTALLED)
	$(BIN)/jupyter lab $(AS_ROOT) notebooks/00_start_here.ipynb

test: $(INSTALLED)
	$(BIN)/python -m pytest --nbval

build: $(INSTALLED)
	$(BIN)/loaderlab build

check: $(INSTALLED)
	$(BIN)/loaderlab build --check

$(INSTALLED): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "Loader Lab needs Python 3.10 or newer. Name one: make $(or $(MAKECMDGOALS),lab) PYTHON=/path/to/python3"; exit 1; }
	@echo "Installing into $(VENV): a few minutes, the first time only."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check -r requirements.txt -e .
	ln -sf "$(CURDIR)/jupyter_nbconvert_config.py" $(VENV)/etc/jupyter/
	@touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache tests/screenshots
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
