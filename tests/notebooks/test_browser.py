"""Every lesson in a real JupyterLab: its cards and explorers run, every control moved by keyboard, "measure" pressed.

Screenshots (where `CI` is not set, also of the whole notebook and in windows of other widths) and the measured latencies
go to tests/screenshots/.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from nbformat import NotebookNode
from playwright.sync_api import BrowserContext, Locator, Page, ViewportSize
from playwright.sync_api import TimeoutError as NothingCame

from chromium import chromium
from loaderlab import course
from loaderlab.i18n.language import speaking, translate
from loaderlab.notebook import stored as storing
from loaderlab.notebook.stored import ABOUT
from loaderlab.publish.source import ASIDE, NOTE, read
from making import with_what_they_need
from places import ROOT, STUDENT_FOLDERS
from waiting import within

pytestmark = pytest.mark.minutes(6)

SCREENSHOTS = ROOT / "tests" / "screenshots"
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
NARROW: ViewportSize = {"width": 1000, "height": 900}
SETTINGS = {
    # Every cell is in the page, also those that are not in view.
    "@jupyterlab/notebook-extension/tracker": '{"windowingMode": "none"}',
    "@jupyterlab/apputils-extension/notification": '{"fetchNews": "false", "checkForUpdates": false}',
}
# Nothing of ours is completed here, and its plugin has the browser lay out the page at each change of the active cell.
NOT_NEEDED = {"disabledExtensions": {"@jupyterlab/completer-extension": True}}
# A blinking cursor in each cell has the browser look through the whole page again and again.
CALM = """addEventListener('DOMContentLoaded', () => {
    const style = document.createElement('style');
    style.textContent = '.cm-cursorLayer { animation: none !important; }';
    document.head.append(style);
})"""
A_RUN = 180_000  # ms, for a whole notebook
A_MEASUREMENT = 180_000  # ms, on a busy machine
A_RESET = 20  # s
BETS = 3  # that are made
SHOWN = "all => all.every(image => image.complete && image.naturalWidth)"
NO_CHANGE = 400  # ms after the kernel's answer, when a key press is taken to have changed nothing

# Times from a key press until the new picture is decoded, and counts the pictures.
WATCH = """image => {
    let pressed = null;
    window.pictures = 0;
    window.latencies = [];
    document.addEventListener('keydown', () => { pressed = performance.now(); }, true);
    new MutationObserver(async () => {
        try { await image.decode(); } catch { return; }
        if (pressed !== null) window.latencies.push(performance.now() - pressed);
        pressed = null;
        window.pictures += 1;
    }).observe(image, {attributes: true, attributeFilter: ['src']});
}"""


FOCUSED = "control => control === document.activeElement"
SELECT = """ids => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    const cells = notebook.widgets.filter(cell => ids.includes(cell.model.id));
    notebook.activeCellIndex = notebook.widgets.indexOf(cells[0]);
    notebook.deselectAll();
    cells.forEach(cell => notebook.select(cell));
}"""
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()"
# The kernel answers in turn: first what a control asked for.
ANSWERED = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestKernelInfo().then(() => null)"


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab and the folder that it serves."""

    url: str
    token: str
    folder: Path


@pytest.fixture(scope="module")
def window(missing: Callable[[str], None]) -> Iterator[BrowserContext]:
    """A window of the browser, which has to fetch JupyterLab once."""
    with chromium(missing) as browser, browser.new_context(viewport=VIEWPORT) as window:
        # In each page: JupyterLab moves on to another one where a page before still answers to its workspace's name.
        window.add_init_script(CALM)
        yield window


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home = tmp_path_factory.mktemp("jupyter")
    folder = tmp_path_factory.mktemp("notebooks")
    for name, text in SETTINGS.items():
        file = home / "settings" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    # As an installed package has it; the tests may run in a checkout.
    config = home / "config" / "jupyter_server_config.d"
    config.mkdir(parents=True)
    shutil.copy(Path(storing.__file__).with_name("jupyter_server.json"), config / "loaderlab.json")
    page_config = config.parent / "labconfig" / "page_config.json"
    page_config.parent.mkdir()
    page_config.write_text(json.dumps(NOT_NEEDED), "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(8)
    environment = os.environ | {
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(config.parent),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "LOADERLAB_REPEATS": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    command += [f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0"]
    command += [f"--IdentityProvider.token={token}", "--LabApp.expose_app_in_browser=True"]
    log = home / "log"
    with log.open("w", encoding="utf-8") as output:
        server = subprocess.Popen(command, env=environment, stdout=output, stderr=output, cwd=folder)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for_server(server, f"{url}/api/status?token={token}", log)
            yield Lab(url, token, folder)
        finally:
            server.terminate()
            server.wait(timeout=180)  # it ends its kernels first, on a busy machine slowly


def wait_for_server(server: subprocess.Popen, url: str, log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")


@pytest.fixture(scope="module")
def shots(student_notebook: Path) -> Path:
    """Where this notebook's screenshots go; empty at first."""
    folder = SCREENSHOTS / student_notebook.parent.name / student_notebook.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope="module")
def unrun(window: BrowserContext, lab: Lab, student_notebook: Path) -> Iterator[Page]:
    """The notebook, opened in JupyterLab; nothing has run, and what will be run has no outputs."""
    begun = nbformat.read(student_notebook, as_version=4)
    for cell in answering(begun) + begun.cells[: first_question(begun) + 2]:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    for cell in begun.cells:  # what a bet would open
        cell.metadata.get("jupyter", {}).pop("outputs_hidden", None)
    name = f"{student_notebook.parent.name}-{student_notebook.name}"
    nbformat.write(begun, lab.folder / name)
    page = opened(window, lab, name, VIEWPORT)
    yield page
    page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
    page.close()


@pytest.fixture(scope="module")
def page(unrun: Page, student_notebook: Path, shots: Path) -> Page:
    """The notebook, in whose new kernel the cells that answer a reader ran, and what they need; the others show what is stored."""
    page = unrun
    page.evaluate(RESTART)
    command(page, "application:toggle-left-area")
    command(page, "notebook:expand-all-headings")
    page.evaluate(SELECT, [cell.id for cell in answering(nbformat.read(student_notebook, as_version=4))])
    page.set_default_timeout(A_RUN)
    command(page, "notebook:run-cell")
    page.set_default_timeout(30_000)
    page.wait_for_load_state("networkidle")
    if not os.environ.get("CI"):  # nobody looks at them there
        photograph(page, shots)
    return page


def first_question(notebook: NotebookNode) -> int:
    """The number of the cell of the first bet."""
    return next(number for number, cell in enumerate(notebook.cells) if "lab.predict(" in cell.source)


def answering(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells of explorers and cards, those that compare the first bets, and what these need: seconds, not minutes as for all.

    Each lesson runs whole elsewhere, in the other languages: in English under nbval, and its solution as in Colab.
    """
    bets = predictions(notebook)[:BETS]

    def answers(cell: NotebookNode) -> bool:
        stored = any(ABOUT in output.get("metadata", {}) for output in cell.outputs)
        return stored or any(f'lab.compare("{name}"' in cell.source for name in bets)

    return with_what_they_need(notebook.cells, answers)


def predictions(notebook: NotebookNode) -> list[str]:
    """The names of the bets, in their order."""
    cells = [re.fullmatch(r'lab\.predict\("([\w-]+)"\)', cell.source) for cell in notebook.cells]
    return [found[1] for found in cells if found]


def opened(window: BrowserContext, lab: Lab, name: str, viewport: ViewportSize) -> Page:
    """The notebook in JupyterLab, with a kernel that listens: what is run before that is not run."""
    page = window.new_page()
    page.set_viewport_size(viewport)
    page.goto(f"{lab.url}/lab/tree/{name}?token={lab.token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    idle = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
    page.wait_for_function(idle, timeout=60_000)
    page.wait_for_load_state("networkidle")
    return page


def command(page: Page, name: str) -> None:
    """Runs one of JupyterLab's commands, as its menus do, and waits until it is done."""
    page.evaluate("name => window.jupyterapp.commands.execute(name).then(() => null)", name)


def photograph(page: Page, folder: Path) -> None:
    """The whole notebook, one screenshot per screen."""
    panel = page.locator(".jp-WindowedPanel-outer").first
    height = panel.evaluate("panel => panel.scrollHeight")
    step = panel.evaluate("panel => panel.clientHeight") - 60
    for number, top in enumerate(range(0, height, step)):
        panel.evaluate("(panel, top) => { panel.scrollTop = top; }", top)
        page.screenshot(path=folder / f"{number:02}.png")


def stored(student_notebook: Path) -> tuple[int, int]:
    """How many outputs of the committed notebook are pictures, and how many stand for controls (a picture may be beside)."""
    cells = [cell for cell in nbformat.read(student_notebook, as_version=4).cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    controls = [output for output in outputs if ABOUT in output.get("metadata", {})]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    return sum(output not in controls for output in pictures), len(controls)


def source_hidden(cell: NotebookNode) -> bool:
    """Return whether the cell is folded to one line, beside which JupyterLab shows no number."""
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


# The cells that nobody sees before a heading is opened; the one that the arrow leads to from another.
HIDDEN = """() => window.jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => cell.isHidden).map(cell => cell.model.id)"""
ACTIVE = "() => window.jupyterapp.shell.currentWidget.content.activeCell.model.id"
GO_TO = """id => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = notebook.widgets.findIndex(cell => cell.model.id === id);
    notebook.node.focus();
}"""


@pytest.mark.one_a_language
def test_what_goes_deeper_is_hidden_until_its_heading_is_opened_and_the_arrow_steps_over_it(
    unrun: Page, student_notebook: Path
) -> None:
    page = unrun
    about = nbformat.read(student_notebook, as_version=4).metadata["loaderlab"]
    cells = [cell for cell in read(course.lesson(about["lesson"])).cells if cell.role != NOTE]
    hidden = [cell.id for cell in cells if cell.off_the_way and cell.role != ASIDE]
    assert page.evaluate(HIDDEN) == hidden
    seen = [cell.id for cell in cells if cell.id not in hidden]
    for cell, after in pairwise(seen):
        if cell in {aside.id for aside in cells if aside.role == ASIDE}:
            page.evaluate(GO_TO, cell)
            page.keyboard.press("ArrowDown")
            assert page.evaluate(ACTIVE) == after and page.evaluate(HIDDEN) == hidden
    command(page, "notebook:expand-all-headings")
    assert page.evaluate(HIDDEN) == []


# The cell with this text becomes the active one; where it stands among the cells.
ACTIVATE = """text => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    const at = notebook.widgets.findIndex(cell => cell.model.type === 'code' && cell.model.sharedModel.source.includes(text));
    notebook.activeCellIndex = at;
    return at;
}"""


# The active cell is out of view where JupyterLab was led to one that is hidden.
IN_VIEW = """() => {
    const notebook = window.jupyterapp.shell.currentWidget.content, {top, bottom} = notebook.activeCell.node.getBoundingClientRect();
    const view = notebook.node.getBoundingClientRect();
    return bottom > view.top && top < view.bottom;
}"""


def test_shift_enter_on_a_collapsed_heading_goes_on_to_the_next_cell_that_is_seen(
    page: Page, student_notebook: Path
) -> None:
    lesson = course.lesson(nbformat.read(student_notebook, as_version=4).metadata["loaderlab"]["lesson"])
    cells = [cell for cell in read(lesson).cells if cell.role != NOTE]
    for aside in [at for at, cell in enumerate(cells) if cell.role == ASIDE]:
        after = next(cell.id for cell in cells[aside + 1 :] if not cell.off_the_way or cell.role == ASIDE)
        page.evaluate(GO_TO, cells[aside].id)
        command(page, "notebook:toggle-heading-collapse")
        hidden = page.evaluate(HIDDEN)
        page.keyboard.press("Shift+Enter")
        assert within(A_RESET, lambda after=after: page.evaluate(ACTIVE) == after)
        assert within(A_RESET, lambda: page.evaluate(IN_VIEW))
        assert page.evaluate(HIDDEN) == hidden != []
        command(page, "notebook:expand-all-headings")


# Where the keyboard is: the number of the active cell, the notebook's mode, and whether it is in a field of a card.
KEYBOARD = """() => {
    const notebook = window.jupyterapp.shell.currentWidget.content, focused = document.activeElement;
    return [notebook.activeCellIndex, notebook.mode, focused.matches('.lab-card input')];
}"""


@pytest.mark.one_a_language
def test_from_the_first_cell_to_the_first_measurement_by_keyboard_alone(unrun: Page) -> None:
    page = unrun
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0; }")
    page.locator(".jp-Cell").first.focus()
    asks = page.evaluate(ACTIVATE.replace("notebook.activeCellIndex = at;", ""), "lab.predict(")
    for at in range(asks + 1):
        assert page.evaluate(KEYBOARD) == [at, "command", False]
        page.keyboard.press("Shift+Enter")
        assert within(A_RUN / 1000, lambda at=at: page.evaluate(KEYBOARD)[0] == at + 1 or at == asks)
    assert within(
        A_RUN / 1000, lambda: page.evaluate(KEYBOARD) == [asks, "command", True]
    )  # the card asks for it
    card = page.locator(".lab-card").first
    for _field in card.locator("input[type=text]").all():
        page.keyboard.type("7")
        page.keyboard.press("Enter")
    if card.locator("input[type=radio]").count():
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
    assert within(A_RESET, lambda: page.evaluate(KEYBOARD) == [asks + 1, "command", False])
    before = page.locator(".lab-card").count()
    page.keyboard.press("Shift+Enter")  # the experiment, or what is asked next
    ran = f"() => window.jupyterapp.shell.currentWidget.content.widgets[{asks + 1}].model.executionCount"
    assert within(
        A_RUN / 1000, lambda: page.evaluate(ran) is not None or page.locator(".lab-card").count() > before
    )


def test_what_answers_runs_and_every_picture_is_shown(page: Page, student_notebook: Path) -> None:
    errors = page.locator("[data-mime-type='application/vnd.jupyter.error']").all_inner_texts()
    assert errors == []
    prompts = page.locator(".jp-CodeCell .jp-InputPrompt").all_inner_texts()
    notebook = nbformat.read(student_notebook, as_version=4)
    ran = {cell.id for cell in answering(notebook)}
    folded = [cell for cell in notebook.cells if source_hidden(cell)]
    never = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.execution_count is None and cell.id not in ran
    ]
    assert len([prompt for prompt in prompts if not prompt.strip("[]:").isdigit()]) == len(
        {cell.id for cell in folded + never}
    )
    assert page.locator(".jp-OutputArea", has_text="Error displaying widget").count() == 0
    pictures, controls = stored(student_notebook)
    images = page.locator(".jp-OutputArea .jp-RenderedImage img")
    assert images.count() == pictures
    assert within(A_RESET, lambda: images.evaluate_all(SHOWN))
    assert page.locator(".lab-explorer, .lab-card").count() == controls


def test_a_guess_is_made_by_keyboard_and_stands_beside_what_was_measured(
    page: Page, student_notebook: Path
) -> None:
    names = predictions(nbformat.read(student_notebook, as_version=4))
    fields = page.locator(".lab-card:not(.lab-case)")
    assert fields.count() == len(names) >= BETS
    language = {folder: language for language, folder in STUDENT_FOLDERS.items()}[
        student_notebook.parent.name
    ]
    with speaking(language):
        yours = translate("your guess")
        open_still = translate("Not measured here: the cell above says why.")
    for name, field in list(zip(names, fields.all(), strict=True))[:BETS]:
        for text in field.locator("input[type=text]").all():
            text.focus()
            page.keyboard.type("7")
            page.keyboard.press("Enter")
        for choice in field.locator("input[type=radio]").all()[:1]:
            choice.focus()
            page.keyboard.press("Space")
            page.keyboard.press("Enter")
        said = field.locator("[role=status]")
        assert within(A_RESET, lambda said=said: said.inner_text().startswith("✓"))
        at = page.evaluate(ACTIVATE, f'lab.compare("{name}"')
        command(page, "notebook:run-cell")
        output = page.locator(".jp-Cell").nth(at).locator(".jp-OutputArea")
        assert within(3 * A_RESET, lambda output=output: yours in output.inner_text())
        if open_still in output.inner_text():  # only a GPU can tell
            continue
        result = field.locator(".lab-result")
        assert within(3 * A_RESET, lambda result=result: yours in result.inner_text())


class Explorer:
    """An explorer in the page, watched."""

    def __init__(self, page: Page, place: Locator) -> None:
        self.page, self.place = page, place
        place.scroll_into_view_if_needed()
        place.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")
        self.picture.evaluate(WATCH)

    @property
    def sliders(self) -> list[Locator]:
        return self.place.locator("input[type=range]").all()

    @property
    def picture(self) -> Locator:
        return self.place.locator("img.lab-picture")

    @property
    def sentence(self) -> str:
        return self.place.locator(".lab-sentence").inner_text().strip()

    def wait_for_picture(self, act: Callable[[], object]) -> bool:
        """Whether a new picture came after the act."""
        before = self.page.evaluate("() => window.pictures")
        act()
        self.page.evaluate(ANSWERED)
        try:
            self.page.wait_for_function("before => window.pictures > before", arg=before, timeout=NO_CHANGE)
        except NothingCame:
            return False
        return True

    def press(self, control: Locator, key: str) -> bool:
        return self.wait_for_picture(lambda: control.press(key))

    def reset(self) -> None:
        self.place.locator(".lab-reset").click()
        self.page.wait_for_timeout(300)

    def comes_back_to(self, sentence: str) -> bool:
        """Whether this is what it says, soon: a reset goes through the kernel."""
        return within(A_RESET, lambda: self.sentence == sentence)

    def wait_for_sentence(self, other_than: str) -> None:
        """Until a measurement is over, and has said what it found, or why it could not."""
        over = """([box, before]) => !box.classList.contains('lab-busy') && !box.querySelector('.lab-running')
            && box.querySelector('.lab-sentence').innerText.trim() !== before"""
        arguments = [self.place.element_handle(), other_than]
        self.page.wait_for_function(over, arg=arguments, timeout=A_MEASUREMENT)

    @property
    def boxes(self) -> list[Locator]:
        return self.place.locator("input[type=number]").all()

    def controls(self) -> list[tuple[str, Locator]]:
        """Every slider, number box, checkbox and list, after a name that tells which one failed."""
        kinds = {
            "slider": self.sliders,
            "number box": self.boxes,
            "checkbox": self.place.locator("input[type=checkbox]").all(),
            "list": self.place.locator(".lab-controls select").all(),
        }
        return [(f"{kind} {i}", control) for kind, all_ in kinds.items() for i, control in enumerate(all_)]

    def answers(self, control: Locator) -> bool:
        """Whether a key pressed on the control changes both the picture and the sentence; of the latter an open question may hide that.

        At some values a control rightly changes nothing: then it is moved further, and the other way.
        """
        keys = ["ArrowRight"] * 3 + ["ArrowLeft"] * 5 + ["End", "Home"]
        keys = {"checkbox": ["Space"], "number": ["ArrowUp"] * 3 + ["ArrowDown"] * 5}.get(
            control.get_attribute("type") or "", keys
        )
        if control.evaluate("control => control.tagName") == "SELECT":
            keys = ["ArrowDown", "ArrowUp", "ArrowUp", "End", "Home"]
        sentence, new_picture = self.sentence, False
        hides = self.place.locator(".lab-questions").count() > 0
        for key in keys:
            new_picture |= self.press(control, key)
            if new_picture and (hides or self.sentence != sentence):
                return True
        if control.get_attribute("type") == "number":  # one step may be too little to see
            self.wait_for_picture(lambda: (control.fill("0"), control.press("Enter")))
            self.wait_for_picture(lambda: (control.fill("1e9"), control.press("Enter")))
            return self.place.locator(".lab-error").count() == 1
        return False

    def answers_and_resets(self, control: Locator) -> bool:
        """Whether the control answers, at the defaults, with the first slider up, or a box unchecked, and "reset" undoes it."""
        first = self.sentence
        answered = self.answers(control)
        self.reset()
        boxes = self.place.locator("input[type=checkbox]").all()
        for moved, key in [(self.sliders[0], "ArrowRight"), *((box, "Space") for box in boxes)]:
            if not answered:
                for _ in range(3):  # an odd number: a box is then another one
                    self.press(moved, key)
                answered = self.answers(control)
                self.reset()
        return answered and self.comes_back_to(first)


def test_every_explorer_answers_keys_and_measures(page: Page, student_notebook: Path, shots: Path) -> None:
    # One that is shown twice is tried once.
    places = list(
        {
            place.locator(".lab-controls").first.inner_text(): place
            for place in page.locator(".lab-explorer").all()
        }.values()
    )
    if not places:
        pytest.skip("This notebook has no explorer.")
    for number, place in enumerate(places):
        explorer = Explorer(page, place)
        explorer.reset()
        first = explorer.sentence
        assert explorer.sliders
        assert [
            name for name, control in explorer.controls() if not explorer.answers_and_resets(control)
        ] == []
        for key in ["ArrowRight", "ArrowLeft"] * 5:
            explorer.press(explorer.sliders[0], key)
        report_latency(page.evaluate("() => window.latencies"), shots / f"latency-{number}.txt")
        explorer.reset()
        assert explorer.comes_back_to(first)
        measure = place.locator(".lab-measure")
        if measure.count():
            measure.press("Enter")
            explorer.wait_for_sentence(other_than=first)
            assert within(A_RESET, lambda measure=measure: measure.evaluate(FOCUSED))
        place.screenshot(path=shots / f"explorer-{number}.png")


def test_a_number_can_be_typed_and_one_key_is_one_step(page: Page, student_notebook: Path) -> None:
    for place in page.locator(".lab-explorer").all():
        explorer = Explorer(page, place)
        explorer.reset()
        slider, box = explorer.sliders[0], explorer.boxes[0]
        high = float(slider.get_attribute("max") or "")
        step = float(box.get_attribute("step") or "")
        for key, expected in (("Enter", high), ("ArrowDown", high - step), ("ArrowUp", high)):
            if key == "Enter":
                box.fill(f"{10 * high:g}")
            box.press(key)
            reached = """([place, box, slider, wanted, warned]) =>
                [box.value, slider.value].every(value => Math.abs(value - wanted) < 1e-6)
                && (place.querySelector('.lab-error') !== null) === warned"""
            parts = [part.element_handle() for part in (place, box, slider)]
            page.wait_for_function(reached, arg=[*parts, expected, key == "Enter"], timeout=A_MEASUREMENT)
        explorer.reset()


# Where Tab stopped, and how wide a line it drew there.
STOPS = """() => {
    window.stops = new Map();
    document.addEventListener('focusin', event => window.stops.set(event.target, getComputedStyle(event.target).outline));
}"""
# How many controls and links a cell has, without those inside components of JupyterLab.
CONTROLS = "cell => cell.querySelectorAll('a, summary, input, select, button').length"
# The controls of explorers and fields at which it did not stop (of radio buttons, and of what arrows walk through, one is enough), or drew no such line.
PASSED = """() => [...document.querySelectorAll(':is(.lab-explorer, .lab-card) :is(input:not([type=radio], [tabindex="-1"]), select, button)')]
    .filter(control => control.checkVisibility() && !/ 2px/.test(window.stops.get(control) ?? '')).map(control => control.outerHTML)"""


@pytest.mark.one_a_language
def test_tab_stops_at_every_control_and_shows_where_it_is(page: Page, student_notebook: Path) -> None:
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.mode = 'command'; }")
    page.evaluate(STOPS)
    for cell in page.locator(".jp-Cell:has(:is(.lab-explorer, .lab-card))").all():
        cell.focus()
        # One more for the toolbar, which JupyterLab shows in an active cell in a moment, and one that leads out.
        for _ in range(cell.evaluate(CONTROLS) + 2):
            page.keyboard.press("Tab")
        assert not cell.evaluate("cell => cell.contains(document.activeElement)")
    assert page.evaluate(PASSED) == []


def test_a_screen_reader_is_told_controls_and_pictures(page: Page, student_notebook: Path) -> None:
    found = Axe().run(page, context=".lab-explorer, .lab-card", options={"runOnly": ["wcag2a", "wcag21a"]})
    assert [
        (broken["id"], [node["html"] for node in broken["nodes"]]) for broken in found.response["violations"]
    ] == []
    for place in page.locator(".lab-explorer").all():
        explorer = Explorer(page, place)
        explorer.press(explorer.sliders[0], "ArrowRight")
        assert within(
            A_RESET,
            lambda explorer=explorer: explorer.picture.get_attribute("alt") == explorer.sentence != "",
        )
        explorer.reset()


# Whether labels stand above their tracks, and nothing sticks out of the explorer.
LAYOUT = """explorer => {
    const outer = explorer.getBoundingClientRect();
    const inside = box => box.width > 0 && box.left >= outer.left - 1 && box.right <= outer.right + 1;
    return [...explorer.querySelectorAll('.lab-control:not(.lab-flag)')].every(control => {
        const all = name => [...control.querySelectorAll(name)].map(part => part.getBoundingClientRect());
        const [label, parts] = [all('.lab-name')[0], all('input, select')];
        return [label, ...parts].every(inside) && parts.every(part => part.top >= label.bottom - 6);
    }) && explorer.scrollWidth <= explorer.clientWidth;
}"""


# One for each of the widths for which the style sheet has rules of its own.
@pytest.mark.parametrize("width", [390, 700, 1280])
def test_an_explorer_fits_the_window_and_its_sentence_stays(
    page: Page, student_notebook: Path, shots: Path, width: int
) -> None:
    page.set_viewport_size(VIEWPORT | {"width": width})
    try:
        for number, place in enumerate(page.locator(".lab-explorer").all()):
            place.scroll_into_view_if_needed()
            explorer = Explorer(page, place)
            assert place.evaluate(LAYOUT)
            top = "explorer => explorer.querySelector('.lab-buttons').offsetTop"
            before = place.evaluate(top)
            for key in ("End", "Home"):
                explorer.press(explorer.sliders[0], key)
                assert place.evaluate(top) == before
            explorer.reset()
            if not os.environ.get("CI"):
                place.screenshot(path=shots / f"explorer-{number}-{width}.png")
    finally:
        page.set_viewport_size(VIEWPORT)


def test_a_question_is_chosen_and_answered_and_the_picture_stays(page: Page, student_notebook: Path) -> None:
    page.set_viewport_size(VIEWPORT | {"width": 700})  # where the question has a line, and the answer another
    try:
        for place in page.locator(".lab-explorer:has(.lab-questions)").all():
            top = "explorer => explorer.querySelector('.lab-controls').offsetTop"
            before = place.evaluate(top)
            for button in place.locator(".lab-questions > button").all():
                button.press("Enter")
                field = place.locator(".lab-asked input[type=text], .lab-asked select")
                said = place.locator(".lab-asked [role=status]")
                assert within(
                    A_RESET, lambda field=field, said=said: field.count() == 1 and said.inner_text() == ""
                )
                if field.evaluate("field => field.tagName") == "SELECT":
                    field.select_option(index=1)
                    place.locator(".lab-check").press("Enter")
                else:
                    field.fill("7")
                    field.press("Enter")
                assert within(A_RESET, lambda said=said: said.inner_text()[:1] in tuple("✓≈✗⚠"))
                assert place.evaluate(top) == before
            Explorer(page, place).reset()
    finally:
        page.set_viewport_size(VIEWPORT)


def report_latency(latencies: list[float], file: Path) -> None:
    """Writes and prints the latencies (ms, from key to picture); how much is drawn for a key, test_explorer.py judges."""
    assert len(latencies) >= 5  # of at least 10: two that come late, at once, count as one
    median, p95 = statistics.median(latencies), statistics.quantiles(latencies, n=20)[-1]
    line = f"{len(latencies)} pictures; median {median:.0f} ms; 95 % within {p95:.0f} ms"
    file.write_text(f"{line}\n", encoding="utf-8")
    print(line)


def looks_right(page: Page) -> None:
    """No widget failed, every picture is there, and none is cut or needs the web."""
    assert page.locator("text=Error displaying widget").count() == 0
    images = page.locator(".jp-Notebook img")
    assert images.count() > 0
    assert within(A_RESET, lambda: images.evaluate_all(SHOWN))
    assert images.evaluate_all("all => all.every(image => image.src.startsWith('data:'))")
    wide = "all => all.filter(output => output.scrollWidth > output.clientWidth + 1).length"
    assert page.locator(".jp-OutputArea-output:has(img)").evaluate_all(wide) == 0


@pytest.mark.long
def test_a_lesson_of_a_fresh_clone_shows_its_pictures_in_a_narrow_window(
    window: BrowserContext, lab: Lab
) -> None:
    text = (ROOT / STUDENT_FOLDERS["en"] / "01_workers.ipynb").read_text("utf-8")
    (lab.folder / "fresh.ipynb").write_text(
        text.replace('"outputs_hidden": true', '"outputs_hidden": false'), "utf-8"
    )
    page = opened(window, lab, "fresh.ipynb", NARROW)
    looks_right(page)
    assert page.locator(".jp-OutputArea-output.jp-mod-trusted").count() == 0
    assert page.locator(".jp-RenderedImage img").count() > 3
    page.close()


@pytest.mark.long
def test_a_lesson_that_was_saved_shows_its_pictures_the_day_after(window: BrowserContext, lab: Lab) -> None:
    code = 'import loaderlab as lab\nlab.begin("workers", language="pl")'
    cells = [
        nbformat.v4.new_code_cell(text)
        for text in (code, 'lab.explore("timeline")', 'lab.diagram("workers_round_robin")')
    ]
    about = {"language": "pl", "lesson": "workers"}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    file = lab.folder / "saved.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={ABOUT: about, "kernelspec": kernel}), file)
    page = opened(window, lab, file.name, NARROW)
    command(page, "notebook:run-all-cells")
    page.wait_for_selector(".lab-explorer", timeout=60_000)
    command(page, "docmanager:save")
    assert page.locator(".lab-explorer").count() == 1  # what runs goes on
    page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
    page.close()
    page = opened(window, lab, file.name, NARROW)
    looks_right(page)
    assert page.locator(".lab-explorer").count() == 0 and page.locator(".jp-RenderedImage").count() == 2
    assert page.locator(".jp-OutputArea", has_text="przesuwać suwaki").count() > 0
    page.close()
