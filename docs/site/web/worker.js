// Python, in a thread of its own: a page asks, and goes on. It is loaded from beside this file and asks no other host.
import { limitMemory, lock } from "./lock.js";
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { kept, keep } from "./snapshot.js";

const MEMORY = 2 ** 30;  // bytes

const here = (path) => new URL(path, import.meta.url).href;
const SERVICE = "import sys; '/lab' in sys.path or sys.path.insert(0, '/lab'); import loaderlab.web.service";

limitMemory(MEMORY);
// An answer does not speak to the page: this is taken from it.
const tell = postMessage.bind(globalThis);

async function loaded(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.url}`);
  return answer.arrayBuffer();
}

async function started(archive, options) {
  const pyodide = await loadPyodide({ indexURL: here("pyodide/"), ...options });
  pyodide.unpackArchive(archive, "zip", { extractDir: "/lab" });
  pyodide.runPython(SERVICE);
  return pyodide;
}

async function begin(address) {
  const archive = await loaded(address);
  const snapshot = await kept(address, archive);
  const pyodide = snapshot
    ? await started(archive, { _loadSnapshot: snapshot }).catch(() => started(archive))
    : await started(archive);
  return { answer: pyodide.pyimport("loaderlab.web.service").answer, fresh: !snapshot };
}

let python;
addEventListener("message", async ({ data }) => {
  // For the next visit, in a Python of its own, in which no answer of a reader ever ran.
  if (data.keeps) {
    const archive = await loaded(data.keeps);
    await keep(data.keeps, archive, () => started(archive, { _makeSnapshot: true })).catch(console.info);
    return close();
  }
  try {
    python ??= begin(here(data.archive));
    const { answer, fresh } = await python;
    if (!data.question) return;
    if (data.locked) lock();
    tell({ id: data.id, begins: true });
    tell({ id: data.id, answer: answer(JSON.stringify(data.question)), fresh });
  } catch (error) {
    python = undefined;
    tell({ id: data.id, failed: String(error) });
  }
});
