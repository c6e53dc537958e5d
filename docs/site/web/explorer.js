// An explorer by the anywidget specification: knobs, and the picture and the sentence that they give. It computes nothing.
// Traits: controls, values, defaults, svg, sentence, warning, busy, tallest, questions, words.

const element = (name, attributes = {}, ...inside) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "html") made.innerHTML = value;
    else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...inside);
  return made;
};
let last = 0;

function control(about, moved) {
  const id = `lab-control-${++last}`;
  if (about.kind === "switch") {
    const box = element("input", { type: "checkbox", id, oninput: () => moved(box.checked) });
    return [[element("label", { for: id }, box, " ", about.label)], (value) => { box.checked = value; }];
  }
  if (about.kind === "choice") {
    const options = about.options.map(([text, value]) => element("option", { value }, text));
    const list = element("select", { id, oninput: () => moved(list.value) }, ...options);
    return [[element("label", { for: id }, about.label), list], (value) => { list.value = value; }];
  }
  const limits = { min: about.low, max: about.high, step: about.step };
  const slider = element("input", { type: "range", id, ...limits, oninput: () => moved(slider.value) });
  // Without limits: what is out of range is said, and not clamped without a word.
  const number = element("input", { inputmode: "decimal", "aria-label": about.label, onchange: () => moved(number.value) });
  const show = (value) => {
    slider.value = value;
    if (document.activeElement !== number || Number(number.value) !== value) number.value = value;
  };
  return [[element("label", { for: id }, about.label), slider, number], show];
}

function questions(model) {
  const words = model.get("words");
  const said = element("span", { role: "status" });
  const asked = element("div", { class: "lab-asked" }, words.choose);
  const send = (ask, number, given) => model.send({ ask, number, ...(given === undefined ? {} : { given }) });
  model.on("msg:custom", ({ about, says }) => { if (about === "reply") said.textContent = says; });
  const open = (question, number) => {
    said.textContent = "";
    const answered = () => field.value.trim() && send("reply", number, question.choices ? Number(field.value) : field.value);
    const field = question.choices
      ? element("select", { "aria-label": question.label, oninput: answered }, element("option", { value: "" }, "…"),
        ...question.choices.map((text, index) => element("option", { value: index }, text)))
      : element("input", { "aria-label": question.label, placeholder: words.your_answer, onchange: answered });
    asked.replaceChildren(element("b", {}, question.label), " ", field, " ", said);
    send("question", number);
    field.focus({ preventScroll: true });
  };
  const buttons = model.get("questions").map((question, number) =>
    element("button", { type: "button", onclick: () => open(question, number) }, question.name));
  return element("div", { class: "lab-questions" }, element("div", { class: "lab-buttons" }, ...buttons), asked);
}

function render({ model, el }) {
  const words = model.get("words");
  const shows = {};
  const rows = model.get("controls").map((about) => {
    const moved = (value) => {
      model.set("values", { ...model.get("values"), [about.name]: value });
      model.save_changes();
    };
    const [inside, show] = control(about, moved);
    shows[about.name] = show;
    return element("div", { class: "lab-control" }, ...inside);
  });
  const [first, ...others] = rows;
  const more = others.length ? [element("details", { class: "lab-more" }, element("summary", {}, words.more), ...others)] : [];
  const picture = element("img", { class: "lab-picture", alt: "" });
  const sheet = element("div", { class: "lab-sheet", style: `--lab-tallest:${model.get("tallest")}` }, picture);
  const sentence = element("p", { class: "lab-sentence", role: "status" });
  const copied = element("span", { role: "status" });
  const reset = () => { model.set("values", model.get("defaults")); model.save_changes(); };
  const buttons = element("div", { class: "lab-buttons" },
    element("button", { type: "button", onclick: reset }, words.reset),
    element("button", { type: "button", onclick: () => model.send({ ask: "link" }) }, words.link), copied);
  model.on("msg:custom", ({ about, says }) => { if (about === "link") copied.textContent = says; });

  const values = () => { for (const [name, value] of Object.entries(model.get("values"))) shows[name]?.(value); };
  const drawn = () => {
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(model.get("svg"))}`;
  };
  const said = () => {
    const warning = model.get("warning") ? `<span class="lab-warning">⚠ ${model.get("warning")}</span> ` : "";
    const busy = model.get("busy") ? `<span class="lab-warning">${words.loading}</span> ` : "";
    const html = `${busy}${warning}${model.get("sentence")}`;
    if (sentence.dataset.html !== html) { sentence.dataset.html = html; sentence.innerHTML = html; }
    picture.alt = sentence.textContent;
  };
  model.on("change:values", values);
  model.on("change:svg", drawn);
  for (const name of ["sentence", "warning", "busy"]) model.on(`change:${name}`, said);
  el.append(sheet, sentence, first, ...more, buttons, ...(model.get("questions").length ? [questions(model)] : []));
  values(); drawn(); said();
}

export default { render };
