# make lab     install what lessons need (the first time) and open the first one, in a copy of your own
# make test    install what tests need, too, and run them and the English lessons
# make quick   what to run before a commit, in two minutes: style, types, and what needs no other process
# make long    run what is left: all lessons in a browser and as in Colab, the solutions, attacks on the grader, what measures
# make again   run once more, by itself, what failed
# make build   write the notebooks again, where a source changed
# make check   say whether the notebooks are what the sources give
# make site    write the website into build/site, from the notebooks as they are committed
# make clean   remove the virtual environment and everything that can be made again

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# What is imported is compiled then, first of all what a lesson's first cell imports: to compile all of torch beforehand
# takes longer than all that is used of it. And kept, whatever is the rule of this machine: hundreds of processes would compile it again.
export PYTHONDONTWRITEBYTECODE :=
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-compile
# What authors and the tests need is no learner's business, either.
DEV_INSTALLED := $(VENV)/.installed-dev

# Sphinx is no learner's business, and the website needs no torch.
SITE_VENV := .venv-site
SITE_INSTALLED := $(SITE_VENV)/.installed
# What its pages run in a browser, npm brings: what docs/site/package-lock.json pins, whatever the registry.
NPM_INSTALLED := build/npm/.installed

.PHONY: lab test quick long again build check site clean

# In a container one often is root, which Jupyter wants to hear.
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)

# In the system's language, unless another one is named: make lab LESSONS_IN=fr
LESSONS_IN = $(shell $(BIN)/python -c 'from loaderlab.i18n.language import of_system; print(of_system())')

lab: $(INSTALLED)
	$(BIN)/loaderlab begin my/$(LESSONS_IN) --language $(LESSONS_IN)
	$(BIN)/jupyter lab $(AS_ROOT) --notebook-dir . --LabApp.default_url=/lab/tree/my/$(LESSONS_IN)/00_start_here.ipynb

# More processes at once than most machines have cores: tests wait, too. What takes longest begins first (conftest.py).
PYTEST := $(BIN)/python -m pytest --no-loadscope-reorder
AT_ONCE := --numprocesses 4

test: $(DEV_INSTALLED)
	$(PYTEST) $(AT_ONCE) --nbval -m "not long and not serial"

# At the end, by themselves, those that measure.
long: $(DEV_INSTALLED)
	@status=0; \
	$(PYTEST) $(AT_ONCE) -m "long and not serial" || status=$$?; \
	$(PYTEST) -m serial || status=$$?; \
	exit $$status

# What failed, once more and with nothing beside it: on a shared machine other work may have taken its time. A fault fails again.
again: $(DEV_INSTALLED)
	$(PYTEST) --nbval -m "" --exitfirst --last-failed --last-failed-no-failures none

# The rooms whose tests start no other process to speak of, and whether the notebooks are what the sources give.
quick: $(DEV_INSTALLED)
	$(PYTEST) --numprocesses 3 -m "not long and not serial" --ignore tests/exercises/test_answers.py \
	  tests/notebooks/test_notebooks.py::test_the_notebooks_are_what_the_sources_give \
	  tests/test_code.py tests/test_lists.py tests/test_package.py tests/course tests/drawing tests/exercises tests/i18n tests/model/test_pipeline.py \
	  tests/notebook tests/publish/test_style.py tests/publish/test_limits.py tests/publish/test_predictions.py

build: $(DEV_INSTALLED)
	$(BIN)/loaderlab build

check: $(DEV_INSTALLED)
	$(BIN)/loaderlab build --check

define check_python
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Loader Lab needs Python 3.11 or newer. Name one: make $(or $(MAKECMDGOALS),lab) PYTHON=/path/to/python3"; exit 1; }
endef

site: $(SITE_INSTALLED) $(NPM_INSTALLED)
	$(SITE_VENV)/bin/python -m loaderlab site build/site

$(SITE_INSTALLED): docs/site/requirements.txt
	$(check_python)
	$(PYTHON) -m venv $(SITE_VENV)
	$(SITE_VENV)/bin/python -m pip install --disable-pip-version-check --quiet -r docs/site/requirements.txt
	@touch $@

$(NPM_INSTALLED): docs/site/package.json docs/site/package-lock.json
	@command -v npm > /dev/null || \
	  { echo "The website needs npm, which comes with Node.js: install it (https://nodejs.org), then run make site again."; exit 1; }
	mkdir -p build/npm
	cp $^ build/npm
	npm ci --prefix build/npm --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# All at once: what the tests need must not change what the lessons run with. Python before 3.13 reads _loaderlab.pth in
# the encoding of the locale, and does not start where it cannot: no path in it. And a learner came for a lesson, not to
# be asked about Jupyter's news.
define install
	$(check_python)
	@echo "Installing into $(VENV): a few minutes, the first time only."
	$(PYTHON) -m venv $(VENV)
	$(PIP) $(addprefix -r ,$(1)) -e .
	cd $(VENV)/lib/python*/site-packages && echo ../../../.. > _loaderlab.pth
	ln -sf "$(CURDIR)/jupyter_nbconvert_config.py" $(VENV)/etc/jupyter/
	mkdir -p $(VENV)/share/jupyter/lab/settings
	echo '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}' \
	  > $(VENV)/share/jupyter/lab/settings/overrides.json
	$(BIN)/python -c 'import loaderlab as lab; lab.begin("start_here")' > /dev/null
endef

$(INSTALLED): requirements.txt pyproject.toml
	$(call install,requirements.txt)
	@touch $@

$(DEV_INSTALLED): requirements.txt requirements-dev.txt pyproject.toml
	$(call install,requirements.txt requirements-dev.txt)
	@touch $(INSTALLED) $@

clean:
	rm -rf $(VENV) $(SITE_VENV) build dist .pytest_cache tests/screenshots
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
