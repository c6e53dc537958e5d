// A case: the script on which lines are accused, or the desk at which the next repair is chosen. An ES module by the anywidget
// specification (https://anywidget.dev): `render({model, el})`. It draws and asks; it computes nothing.
// `loaderlab.course.case_card` is the other side: `state` has the traits, `receive(message)` returns those that a message changed.
//
// Traits that it reads; it writes none:
//   kind      text     "script" or "desk"
//   label     text     what is asked
//   lines     list     of the script: {number, html: the line in colours, text: the line for a screen reader}
//   accused   list     of line numbers
//   repairs   list     of the desk: {name, label: HTML, bet: whether a bet is made on it} of each that is still open
//   board     HTML     of the desk: the rates so far
//   said      HTML     the answer to the last message
//   error     boolean  true if `said` says why nothing was done
//   words     object   what this module says itself, in the learner's language
//   answered  integer  the `turn` of the last message that was dealt with
//
// Messages that it sends, each with a `turn` that grows by one:
//   {event: "accuse", lines: [numbers], turn}   or   {event: "accuse", text: a list as it was typed, turn}
//   {event: "repair", name, bet: text, turn}

let cases = 0;

const make = (kind, properties = {}, ...inside) => {
    const made = document.createElement(kind);
    for (const [name, value] of Object.entries(properties)) {
        if (name in made) made[name] = value; else made.setAttribute(name, value);
    }
    // What is typed here is no command of JupyterLab, which would take an arrow or Enter for itself.
    if (made.matches('input, button')) made.setAttribute('data-lm-suppress-shortcuts', 'true');
    made.append(...inside);
    return made;
};
const htmlIn = (kind, className, html) => {
    const made = make(kind, {className});
    made.innerHTML = html;
    return made;
};

function render({model, el}) {
    const of = trait => model.get(trait), words = of('words'), name = `lab-case-${cases += 1}`;
    let turn = of('answered');
    el.classList.add('lab-card', 'lab-case');
    const said = make('div', {className: 'lab-said', role: 'status', 'aria-live': 'polite'});
    const label = make('div', {className: 'lab-label', id: `${name}-label`, textContent: of('label')});
    const gone = make('div', {className: 'lab-gone', textContent: words.gone});
    const send = message => {
        try {
            model.send({...message, turn: turn += 1});
        } catch {  // the kernel that made this card is gone
            el.classList.add('jupyter-widgets-disconnected');
        }
    };
    const {inside, follow} = (of('kind') === 'script' ? script : desk)(model, name, send, said);
    el.replaceChildren(label, ...inside, said, gone);
    const tell = () => {
        if (of('answered') < turn) return;
        said.innerHTML = of('said');
        said.classList.toggle('lab-error', of('error'));
        follow();
    };
    const traits = ['said', 'error', 'answered', 'accused', 'repairs', 'board'];
    for (const trait of traits) model.on(`change:${trait}`, tell);
    tell();
    return () => { for (const trait of traits) model.off(`change:${trait}`, tell); };
}

/** The lines of the script, a box before each: one of them takes the Tab key, arrows move among them, the space bar marks. */
function script(model, name, send) {
    const words = model.get('words');
    const boxes = [];
    const rows = model.get('lines').map(line => {
        const number = make('span', {className: 'lab-line-number', textContent: String(line.number)});
        const code = htmlIn('code', '', line.html || ' ');
        // Nobody accuses an empty line; the box that holds its place can be seen by no one.
        if (!line.text) return make('div', {className: 'lab-line lab-line-empty'}, make('input', {type: 'checkbox', disabled: true}), number, code);
        boxes.push(make('input', {
            type: 'checkbox', value: String(line.number), tabIndex: -1, 'aria-label': `${words.line} ${line.number}: ${line.text}`,
        }));
        return make('label', {className: 'lab-line'}, boxes.at(-1), number, code);
    });
    boxes[0].tabIndex = 0;
    const list = make('div', {className: 'lab-script lab-form', role: 'group', 'aria-labelledby': `${name}-label`}, ...rows);
    const stand = at => {
        const here = Math.min(boxes.length - 1, Math.max(0, at));
        boxes.forEach((box, other) => { box.tabIndex = other === here ? 0 : -1; });
        boxes[here].focus();
    };
    const accuse = () => send({event: 'accuse', lines: boxes.filter(box => box.checked).map(box => Number(box.value))});
    list.addEventListener('keydown', event => {
        const at = boxes.indexOf(event.target);
        const steps = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: boxes.length - 1};
        if (event.key === 'Enter') accuse();
        else if (event.key in steps) stand(steps[event.key]);
        else return;
        event.preventDefault();
        event.stopPropagation();
    });
    list.addEventListener('focusin', event => {
        boxes.forEach(box => { box.tabIndex = box === event.target ? 0 : -1; });
    });
    const typed = make('input', {type: 'text', className: 'lab-lines', placeholder: words.list, 'aria-label': words.list, autocomplete: 'off'});
    const button = make('button', {type: 'button', className: 'lab-bet', textContent: words.accuse, onclick: () => {
        if (typed.value.trim()) send({event: 'accuse', text: typed.value}); else accuse();
    }});
    typed.addEventListener('keydown', event => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        event.stopPropagation();
        button.click();
    });
    const follow = () => {
        const accused = new Set(model.get('accused'));
        for (const box of boxes) {
            box.checked = accused.has(Number(box.value));
            box.closest('.lab-line').classList.toggle('lab-accused', box.checked);
        }
        if (!model.get('error')) typed.value = '';
    };
    list.addEventListener('change', event => event.target.closest('.lab-line').classList.toggle('lab-accused', event.target.checked));
    return {inside: [list, make('div', {className: 'lab-buttons'}, button, typed)], follow};
}

/** The repairs that are open, a field for the bet, and the board. */
function desk(model, name, send, said) {
    const words = model.get('words');
    const list = make('div', {className: 'lab-form', role: 'radiogroup', 'aria-labelledby': `${name}-label`});
    const bet = make('input', {type: 'text', inputMode: 'decimal', autocomplete: 'off', className: 'lab-number', 'aria-label': words.bet});
    const field = make('label', {className: 'lab-field'}, make('span', {textContent: words.bet}), bet);
    const none = make('div', {className: 'lab-field', textContent: words.right, hidden: true});
    const choose = () => {
        const chosen = list.querySelector('input:checked')?.value;
        const right = model.get('repairs').some(repair => repair.name === chosen && !repair.bet);
        field.hidden = right || !model.get('repairs').length;
        none.hidden = !right;
    };
    list.addEventListener('change', choose);
    const button = make('button', {type: 'button', className: 'lab-bet', textContent: words.repair, onclick: () => {
        const chosen = list.querySelector('input:checked');
        if (!chosen) { list.querySelector('input')?.focus(); return; }
        button.disabled = true;
        said.textContent = words.runs;
        send({event: 'repair', name: chosen.value, bet: field.hidden ? '' : bet.value});
    }});
    bet.addEventListener('keydown', event => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        event.stopPropagation();
        button.click();
    });
    const board = make('div', {className: 'lab-board'});
    let shown = null;
    const follow = () => {
        const repairs = model.get('repairs'), key = JSON.stringify(repairs);
        button.disabled = false;
        board.innerHTML = model.get('board');
        if (key === shown) return;
        shown = key;
        list.replaceChildren(...repairs.map(repair => make('label', {className: 'lab-choice'},
            make('input', {type: 'radio', name, value: repair.name}), htmlIn('span', '', repair.label))));
        bet.value = '';
        if (!repairs.length) list.textContent = words.done;
        button.hidden = !repairs.length;
        choose();
    };
    return {inside: [list, field, none, button, board], follow};
}

export default {render};
