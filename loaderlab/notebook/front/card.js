// The question card: bet, see, why. An ES module by the anywidget specification (https://anywidget.dev): `render({model, el})`.
// It draws and asks; it computes nothing. `loaderlab.course.question_card.QuestionCard` is the other side: `state` has the traits,
// `receive(message)` takes a message and returns the traits that changed by it.
//
// Traits that it reads (`model.get`, `model.on("change:NAME")`); it writes none:
//   question  HTML     the question in full; empty: only the label
//   label     text     the question in a few words, with the unit
//   kind      text     "numbers", "curve" or "choice"
//   fields    list     of {label: HTML, unit: text, text: the number of the earlier bet or ""}; one for each number
//   choices   list     of HTML
//   chosen    integer  index of the choice that was bet on, -1 without a bet
//   axis      object   of a curve: {marks: [[height 0…1, text]…], stops: [[height, text]…]}, both from the bottom
//   points    list     of a curve: the height of each field's number, null where there is none
//   said      HTML     the answer to the last bet
//   error     boolean  true if `said` says why that was none
//   bets      integer  how many bets this card accepted; when it grows, the card lets go of the keyboard
//   result    HTML     the bet beside what was measured, with a verdict for each field; empty before the measurement
//   words     object   {bet, empty, busy, gone}: what this module says itself, in the learner's language
//   answered  integer  the `turn` of the last message that was dealt with
//
// Messages that it sends (`model.send`), each with a `turn` that grows by one:
//   {event: "bet", texts: [text of each field], turn}   or   {event: "bet", choice: index, turn}
//   {event: "points", texts: [text of each field], turn}   a number of a curve was typed: where is its point?
//
// Where there is no kernel to answer (`words.gone`), a host sets the class `jupyter-widgets-disconnected` on `el`, as ipywidgets does; a `send` that throws
// does the same.

const HEIGHT = 180, COLUMN = 84, LEFT = 52, EDGE = 14;  // px: the axis, a place, the numbers beside the axis, the room above and below
const PATIENCE = 700;  // ms until a kernel that does not answer is called busy
let cards = 0;

const make = (kind, properties = {}, ...inside) => {
    const made = document.createElement(kind);
    for (const [name, value] of Object.entries(properties)) {
        if (name in made) made[name] = value; else made.setAttribute(name, value);
    }
    // What is typed here is no command of JupyterLab, which would take an arrow or Enter for itself.
    if (made.matches('input, select, button, summary')) made.setAttribute('data-lm-suppress-shortcuts', 'true');
    made.append(...inside);
    return made;
};
const show = (place, html) => { if (place.innerHTML !== html) place.innerHTML = html; };

// --- in JupyterLab and Notebook 7; elsewhere there is no such cell, and the keyboard is only let go

const isShown = cell => cell.getClientRects().length > 0;
const cellAfter = cell => {
    do cell = cell?.nextElementSibling; while (cell && !(cell.matches('.jp-Cell') && isShown(cell)));
    return cell;
};
/** Select the next cell in command mode, so that Shift+Enter runs it. */
const moveOn = el => {
    const cell = el.closest('.jp-Cell');
    el.ownerDocument.activeElement?.blur();
    (cellAfter(cell) ?? cell)?.focus();
};
// On a collapsed heading, Shift+Enter would select a cell that is hidden below it, and scroll to the top of the notebook.
globalThis.addEventListener('keydown', event => {
    const heading = event.target.closest?.('.jp-MarkdownHeadingCollapsed.jp-mod-rendered');
    const next = event.key === 'Enter' && event.shiftKey && heading && cellAfter(heading);
    if (!next) return;
    event.preventDefault();
    event.stopImmediatePropagation();  // each kernel's cards bring this module along
    next.focus();
}, true);
/** Whether the learner has just run this cell, and types nowhere. */
const wasJustRun = el => {
    const cell = el.closest('.jp-Cell'), active = el.ownerDocument.activeElement;
    const current = cell?.closest('.jp-Notebook')?.querySelector('.jp-Cell.jp-mod-active');
    const types = active?.matches('input, select, textarea, [contenteditable]');
    return Boolean(cell) && !types && (current === cell || current === cellAfter(cell));
};

const plain = text => text.replace(/\s+/g, ' ').trim();
/** Open the explanation that follows the measurement, a fold of this title before the next card; one that goes deeper may stand between. */
const openWhy = (el, title) => {
    for (let cell = el.closest('.jp-Cell')?.nextElementSibling; cell && !cell.querySelector('.lab-card'); cell = cell.nextElementSibling) {
        const fold = cell.querySelector('.jp-MarkdownOutput details');
        if (fold && plain(fold.querySelector('summary').textContent) === plain(title)) { fold.open = true; return; }
    }
};

function render({model, el}) {
    const name = `lab-card-${cards += 1}`, of = trait => model.get(trait);
    const words = of('words'), kind = of('kind');
    let turn = of('answered'), bets = of('bets'), late;
    el.classList.add('lab-card');

    const send = message => {
        clearTimeout(late);
        try {
            model.send({...message, turn: turn += 1});
        } catch {  // the kernel that made this card is gone
            el.classList.add('jupyter-widgets-disconnected');
            return;
        }
        late = setTimeout(() => { if (of('answered') < turn) show(said, words.busy); }, PATIENCE);
    };
    const texts = () => inputs.map(input => input.value);
    const choices = [...of('choices')].map((html, at) => make('input', {type: 'radio', name, value: String(at), checked: at === of('chosen')}));
    const inputs = of('fields').map(field => make('input', {
        type: 'text', inputMode: 'decimal', autocomplete: 'off', value: field.text, placeholder: words.empty, className: 'lab-number',
    }));
    const bet = () => {
        if (kind === 'choice') {
            const chosen = choices.findIndex(choice => choice.checked);
            if (chosen >= 0) send({event: 'bet', choice: chosen}); else choices[0].focus();
            return;
        }
        const empty = inputs.find(input => !input.value.trim());
        if (empty) empty.focus(); else send({event: 'bet', texts: texts()});
    };

    const label = make('div', {className: 'lab-label', id: `${name}-label`});
    const question = make('div', {className: 'lab-question'});
    const form = make('div', {className: 'lab-form', role: 'group', 'aria-labelledby': `${name}-label`});
    const button = make('button', {type: 'button', className: 'lab-bet', textContent: words.bet, onclick: bet});
    const said = make('div', {className: 'lab-said', role: 'status', 'aria-live': 'polite'});
    const gone = make('div', {className: 'lab-gone', textContent: words.gone});
    const result = make('div', {className: 'lab-result'});
    const body = make('div', {className: 'lab-body'}, make('div', {className: 'lab-ask'}, form, button, said, gone), result);
    el.replaceChildren(question, label, body);

    if (kind === 'choice') {
        choices.forEach((choice, at) => {
            const text = make('span');
            text.innerHTML = of('choices')[at];
            form.append(make('label', {className: 'lab-choice'}, choice, text));
        });
    } else {
        const drawn = kind === 'curve' ? curve(model, inputs, () => send({event: 'points', texts: texts()})) : null;
        if (drawn) form.append(drawn.element);
        inputs.forEach((input, at) => {
            const field = of('fields')[at], text = make('span', {className: 'lab-place'});
            text.innerHTML = field.label;
            if (!field.label) input.setAttribute('aria-labelledby', `${name}-label`);
            const unit = make('span', {className: 'lab-unit', textContent: field.unit});
            (drawn?.columns[at] ?? form).append(make('label', {className: 'lab-field'}, text, make('span', {}, input, unit)));
        });
    }
    el.addEventListener('keydown', event => {
        if (event.key === 'Escape') moveOn(el);
        else if (event.key === 'Enter' && event.target !== button) bet();
        else return;
        event.preventDefault();
        event.stopPropagation();
    });

    const tell = () => {
        show(question, of('question'));
        label.textContent = of('label');
        if (of('answered') >= turn) show(said, of('said'));
        said.classList.toggle('lab-error', of('error'));
        if (result.innerHTML !== of('result')) result.innerHTML = of('result');
        result.hidden = !of('result');
    };
    const measured = () => { if (of('result')) openWhy(el, words.why); };
    const moved = () => {
        tell();
        if (of('bets') > bets && el.contains(el.ownerDocument.activeElement)) moveOn(el);
        bets = of('bets');
    };
    for (const trait of ['question', 'label', 'said', 'error', 'result', 'answered']) model.on(`change:${trait}`, tell);
    model.on('change:bets', moved);
    model.on('change:result', measured);
    tell();
    const first = choices[0] ?? inputs[0];
    const timer = requestAnimationFrame(() => {
        if (!bets && !of('said') && wasJustRun(el)) (form.querySelector('input') ?? first).focus();
    });
    return () => {
        cancelAnimationFrame(timer);
        clearTimeout(late);
        for (const trait of ['question', 'label', 'said', 'error', 'result', 'answered']) model.off(`change:${trait}`, tell);
        model.off('change:bets', moved);
        model.off('change:result', measured);
    };
}

/** A curve to draw: above each field an upright slider; its handle is a point of the line. A handle at a dashed place was not moved. */
function curve(model, inputs, typed) {
    const {marks, stops} = model.get('axis'), below = EDGE + HEIGHT, SVG = 'http://www.w3.org/2000/svg';
    let points = [...model.get('points')];
    const draw = (kind, attributes, text = '') => {
        const made = document.createElementNS(SVG, kind);
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
        made.textContent = text;
        return made;
    };
    const width = LEFT + COLUMN * inputs.length;
    const sheet = draw('svg', {width, height: below + EDGE, 'aria-hidden': 'true'});
    for (const [height, text] of marks) {
        const y = below - HEIGHT * height;
        sheet.append(draw('path', {d: `M${LEFT} ${y}H${width}`, class: 'lab-grid'}), draw('text', {x: LEFT - 8, y: y + 4, 'text-anchor': 'end'}, text));
    }
    const line = draw('polyline', {class: 'lab-line'});
    sheet.append(line);
    const columns = [], sliders = inputs.map((input, at) => {
        const nearest = height => stops.reduce((best, stop, number) => Math.abs(stop[0] - height) < Math.abs(stops[best][0] - height) ? number : best, 0);
        const stand = number => {
            [points[at], input.value] = stops[Math.min(stops.length - 1, Math.max(0, number))];
            tell();
        };
        const slider = make('input', {type: 'range', min: '0', max: '1', step: 'any', className: 'lab-upright', 'aria-orientation': 'vertical'});
        slider.addEventListener('input', () => stand(nearest(slider.valueAsNumber)));
        slider.addEventListener('keydown', event => {
            if (/^[\d.,]$/.test(event.key)) { input.select(); input.focus(); return; }  // a number is typed instead
            const here = nearest(points[at] ?? 0);
            const steps = {ArrowUp: here + 1, ArrowRight: here + 1, ArrowDown: here - 1, ArrowLeft: here - 1,
                PageUp: here + 5, PageDown: here - 5, Home: 0, End: stops.length - 1};
            if (!(event.key in steps)) return;
            event.preventDefault();
            stand(steps[event.key]);
        });
        input.addEventListener('change', typed);
        columns.push(make('div', {className: 'lab-column'}, slider));
        return slider;
    });
    const tell = () => {
        sliders.forEach((slider, at) => {
            slider.value = String(points[at] ?? 0);
            slider.classList.toggle('lab-open', points[at] === null);
            slider.setAttribute('aria-valuetext', inputs[at].value || '–');
            slider.setAttribute('aria-label', columns[at].querySelector('.lab-place')?.textContent ?? '');
        });
        const dots = points.flatMap((height, at) => height === null ? [] : [`${LEFT + COLUMN * (at + 0.5)},${below - HEIGHT * height}`]);
        line.setAttribute('points', dots.join(' '));
    };
    model.on('change:points', () => { points = [...model.get('points')]; tell(); });
    requestAnimationFrame(tell);
    tell();
    return {element: make('div', {className: 'lab-curve'}, sheet, make('div', {className: 'lab-columns'}, ...columns)), columns};
}

export default {render};
