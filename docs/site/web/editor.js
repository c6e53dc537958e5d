// The editor of an answer: CodeMirror, with Python's colours. Tab indents; after Escape, Tab leaves it.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "./editor/codemirror-commands.js";
import { python } from "./editor/codemirror-lang-python.js";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "./editor/codemirror-language.js";
import { EditorState } from "./editor/codemirror-state.js";
import { EditorView, keymap, lineNumbers } from "./editor/codemirror-view.js";
import { classHighlighter } from "./editor/lezer-highlight.js";

export function editor(place, { text, label, run, changed }) {
  const view = new EditorView({
    parent: place,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), EditorView.lineWrapping, history(), bracketMatching(), indentOnInput(), indentUnit.of("    "), python(),
        syntaxHighlighting(classHighlighter),
        keymap.of([{ key: "Shift-Enter", run: () => { run(); return true; } }, indentWithTab, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace: (other) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: other } }),
  };
}
