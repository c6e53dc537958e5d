// An explorer: a picture that follows one knob, the others folded. An ES module by the anywidget specification
// (https://anywidget.dev): `render({model, el})`. It draws and asks; it computes nothing. `loaderlab.course.panel.Panel` is the other
// side: `state` has the traits, `receive(message)` takes a message and returns the traits that changed by it.
//
// Traits that it reads (`model.get`, `model.on("change:NAME")`); it writes none:
//   name       text     of the scene, as links in the prose have it; never changes
//   controls   list     of {name, kind: "slider", "flag" or "list", label: text, low, high, step, options: [text]}; never changes
//   buttons    list     of {event: "measure" or "reset", label: text}; never changes
//   questions  list     of {label: text, text: HTML (the question in full, or ""), heading: HTML, choices: [text], empty for a number}; never changes
//   words      object   {more, choose, answer, check, busy, gone}: what this module says itself, in the learner's language; never changes
//   values     object   value of each control by name: number, boolean, or the place in a list
//   shown      list     names of the controls that are not folded
//   picture    text     SVG
//   spots      list     of [left, top, width, height, text], in percent of the picture: what a part of it says under a pointer
//   room       number   height to width of the tallest picture, so that nothing moves below it
//   sentence   HTML     the picture in words, without what an open question asks; or what is measured just now
//   alt        text     the same, for the picture
//   busy       boolean  true while it measures
//   asked      integer  index of the question that was chosen, or -1
//   verdict    HTML     the answer to the last answer
//   answered   integer  the `turn` of the last message that was dealt with
//
// Messages that it sends (`model.send`), each with a `turn` that grows by one; a move waits until the message before is dealt with:
//   {event: "move", name, value, slider: true where a slider was moved, turn}
//   {event: "link", values: {name: text}, turn}: a link such as `#timeline?num_workers=5` was clicked
//   {event: "measure", turn}   {event: "reset", turn}
//   {event: "ask", question: index, turn}
//   {event: "answer", text, turn}   or   {event: "answer", choice: index, turn}
//
// Where there is no kernel to answer (`words.gone`), a host sets the class `jupyter-widgets-disconnected` on `el`, as ipywidgets does; a `send` that throws
// does the same.

const PATIENCE = 700;  // ms until a kernel that does not answer is called busy
let explorers = 0;

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

function render({model, el}) {
    const id = `lab-explorer-${explorers += 1}`, of = trait => model.get(trait), words = of('words');
    let turn = of('answered'), late, queue = [];
    el.classList.add('lab-explorer');
    el.dataset.name = of('name');

    const post = message => {
        clearTimeout(late);
        try {
            model.send({...message, turn: turn += 1});
        } catch {  // the kernel that made this explorer is gone
            el.classList.add('jupyter-widgets-disconnected');
            return;
        }
        late = setTimeout(() => { if (of('answered') < turn && !of('busy')) wait.hidden = false; }, PATIENCE);
    };
    const send = message => {
        if (of('answered') >= turn) return post(message);
        // A knob may move faster than pictures are drawn: only the last of its places counts.
        queue = [...queue.filter(({event, name}) => event !== 'move' || name !== message.name), message];
    };

    const image = make('img', {className: 'lab-picture', alt: ''});
    const spots = make('div', {className: 'lab-spots', 'aria-hidden': 'true'});  // all of it is in the sentence, too
    const sheet = make('div', {className: 'lab-sheet'}, image, spots);
    const sentence = make('div', {className: 'lab-sentence', role: 'status', 'aria-live': 'polite'});
    const wait = make('div', {className: 'lab-wait', textContent: words.busy, hidden: true, role: 'status'});
    const gone = make('div', {className: 'lab-gone', textContent: words.gone});
    const front = make('div', {className: 'lab-controls'}), folded = make('div', {className: 'lab-controls'});
    const more = make('details', {className: 'lab-more'}, make('summary', {textContent: words.more}), folded);
    const buttons = make('div', {className: 'lab-buttons'}, ...of('buttons').map(({event, label}) => make('button', {
        type: 'button', className: `lab-${event}`, textContent: label, onclick: () => { if (!of('busy')) send({event}); },
    })));

    const controls = of('controls').map((control, at) => {
        const labelId = `${id}-${at}`, own = value => send({event: 'move', name: control.name, value});
        const label = make('span', {className: 'lab-name', id: labelId, textContent: control.label});
        if (control.kind === 'flag') {
            const box = make('input', {type: 'checkbox', onchange: () => own(box.checked)});
            const element = make('div', {className: 'lab-control lab-flag'}, make('label', {}, box, label));
            return {...control, element, set: value => { box.checked = value; }};
        }
        if (control.kind === 'list') {
            const list = make('select', {'aria-labelledby': labelId, onchange: () => own(list.selectedIndex)},
                ...control.options.map(text => make('option', {textContent: text})));
            return {...control, element: make('div', {className: 'lab-control'}, label, list), set: value => { list.selectedIndex = value; }};
        }
        const {low, high, step} = control, limits = {min: String(low), max: String(high), step: String(step)};
        const slider = make('input', {type: 'range', 'aria-labelledby': labelId, ...limits});
        // No limits: a browser would clamp without a word.
        const box = make('input', {type: 'number', 'aria-labelledby': labelId, step: String(step), className: 'lab-number'});
        slider.addEventListener('input', () => {
            box.value = slider.value;
            send({event: 'move', name: control.name, value: Number(slider.value), slider: true});
        });
        const typed = () => { if (box.value !== '' && Number(box.value) !== of('values')[control.name]) own(Number(box.value)); };
        box.addEventListener('change', typed);
        box.addEventListener('input', event => { if (!event.inputType) typed(); });  // a step, by arrow keys or the arrows beside it
        box.addEventListener('keydown', event => { if (event.key === 'Enter') typed(); });  // JupyterLab keeps that to itself
        const set = value => {
            slider.value = String(value);
            slider.setAttribute('aria-valuetext', String(value));  // it stands on steps, not on numbers
            if (Number(box.value) !== value || box.value === '') box.value = String(value);
        };
        return {...control, element: make('div', {className: 'lab-control'}, label, slider, box), set};
    });

    // --- the questions
    const asking = make('div', {className: 'lab-questions'}), asked = make('div', {className: 'lab-asked'});
    const said = make('span', {className: 'lab-verdict', role: 'status', 'aria-live': 'polite'});
    const tabs = of('questions').map(({label}, question) => make('button', {
        type: 'button', textContent: label, onclick: () => send({event: 'ask', question}),
    }));
    asking.append(...tabs);
    let open = null;
    const ask = () => {
        const at = of('asked');
        tabs.forEach((tab, question) => tab.setAttribute('aria-pressed', String(question === at)));
        if (at === open) return;
        open = at;
        if (at < 0) { asked.replaceChildren(words.choose); return; }
        const {text, heading, choices} = of('questions')[at], label = make('b', {id: `${id}-asked`});
        label.innerHTML = heading;
        const full = make('div', {className: 'lab-text'});
        full.innerHTML = text;
        const field = choices.length
            ? make('select', {}, make('option', {textContent: '…', value: ''}), ...choices.map(choice => make('option', {textContent: choice})))
            : make('input', {type: 'text', inputMode: 'decimal', autocomplete: 'off', placeholder: words.answer});
        field.setAttribute('aria-labelledby', label.id);
        const answer = () => {
            if (!field.value) field.focus();
            else send(choices.length ? {event: 'answer', choice: field.selectedIndex - 1} : {event: 'answer', text: field.value});
        };
        field.addEventListener('keydown', event => { if (event.key === 'Enter') answer(); });
        const check = make('button', {type: 'button', className: 'lab-check', textContent: words.check, onclick: answer});
        asked.replaceChildren(...(text ? [full] : []), label, field, check, said);
    };

    const tell = () => {
        const values = of('values'), shown = of('shown');
        const focused = el.ownerDocument.activeElement;
        for (const {name, element, set} of controls) {
            if (!queue.some(message => message.name === name)) set(values[name]);
            const place = shown.includes(name) ? front : folded;
            if (element.parentNode !== place) place.append(element);
        }
        for (const place of [front, folded]) {  // in the order of the scene
            const own = controls.filter(({element}) => element.parentNode === place).map(({element}) => element);
            if (own.some((element, at) => place.children[at] !== element)) place.replaceChildren(...own);
        }
        more.hidden = folded.children.length === 0;
        if (el.contains(focused) && el.ownerDocument.activeElement !== focused) focused.focus();
        sheet.style.aspectRatio = `1 / ${of('room')}`;
        el.style.setProperty('--lab-room', of('room'));
        show(sentence, of('sentence'));
        el.classList.toggle('lab-busy', of('busy'));
        ask();
        show(said, of('verdict'));
    };
    const draw = () => {
        const source = `data:image/svg+xml,${encodeURIComponent(of('picture'))}`;
        if (image.getAttribute('src') !== source) image.src = source;
        image.alt = of('alt');
        spots.replaceChildren(...of('spots').map(([left, top, width, height, title]) => {
            const spot = make('div', {title});
            Object.assign(spot.style, {left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%`});
            return spot;
        }));
    };
    const answered = () => {
        wait.hidden = true;
        clearTimeout(late);
        if (of('answered') < turn) return;
        if (queue.length) post(queue.shift()); else tell();
    };
    // A link in the prose sets the explorer that it names: the last one above it, or the first one below.
    const page = el.ownerDocument;
    const clicked = event => {
        const link = event.target.closest?.('a[href^="#"]'), [name, values] = (link?.getAttribute('href').slice(1) ?? '').split('?');
        if (!values || decodeURIComponent(name) !== of('name')) return;
        const all = [...page.querySelectorAll(`.lab-explorer[data-name="${of('name')}"]`)];
        const above = all.filter(each => link.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_PRECEDING);
        if ((above.at(-1) ?? all[0]) !== el) return;
        event.preventDefault();
        event.stopPropagation();
        send({event: 'link', values: Object.fromEntries(new URLSearchParams(values))});
        el.scrollIntoView({block: 'nearest'});
    };
    page.addEventListener('click', clicked, true);

    const followed = {
        tell: ['values', 'shown', 'room', 'sentence', 'busy', 'asked', 'verdict'], draw: ['picture', 'spots', 'alt'], answered: ['answered'],
    };
    const follow = {tell, draw, answered};
    el.replaceChildren(
        make('div', {className: 'lab-frame'}, sheet), ...(tabs.length ? [asking, asked] : []), front, sentence, wait, gone, more, buttons,
    );
    for (const [name, traits] of Object.entries(followed)) for (const trait of traits) model.on(`change:${trait}`, follow[name]);
    tell();
    draw();
    return () => {
        clearTimeout(late);
        page.removeEventListener('click', clicked, true);
        for (const [name, traits] of Object.entries(followed)) for (const trait of traits) model.off(`change:${trait}`, follow[name]);
    };
}

export default {render};
