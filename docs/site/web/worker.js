// Python, in a thread of its own: a page asks, and goes on. It is loaded from beside this file and asks no other host.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = (path) => new URL(path, import.meta.url).href;

async function begin(archive) {
  const [pyodide, answer] = await Promise.all([loadPyodide({ indexURL: here("pyodide/") }), fetch(here(archive))]);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.url}`);
  pyodide.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: "/lab" });
  pyodide.runPython("import sys; sys.path.insert(0, '/lab')");
  return pyodide.pyimport("loaderlab.web.service").answer;
}

let python;
addEventListener("message", async ({ data }) => {
  try {
    python ??= begin(data.archive);
    const answer = await python;
    if (!data.question) return;
    postMessage({ id: data.id, begins: true });
    postMessage({ id: data.id, answer: JSON.parse(answer(JSON.stringify(data.question))) });
  } catch (error) {
    python = undefined;
    postMessage({ id: data.id, failed: String(error) });
  }
});
