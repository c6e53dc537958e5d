// The memory of Python after it was loaded, kept in the browser: a later visit begins with it in a third of the time.
// Pyodide calls the two options that make and take it experimental: where they fail, Python is loaded as the first time.
import { version } from "./pyodide/pyodide.mjs";

const CACHE = "loaderlab-python";

// Neither is there where a page came by http from another machine, and in some private windows.
const possible = () => globalThis.caches && globalThis.crypto?.subtle;

// By what is in it: another Pyodide or another archive never begins with this memory.
async function key(address, archive) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", archive));
  return `${address}?${version}-${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

export async function kept(address, archive) {
  if (!possible()) return undefined;
  try {
    const found = await (await caches.open(CACHE)).match(await key(address, archive));
    return found && new Uint8Array(await found.arrayBuffer());
  } catch { return undefined; }
}

export async function keep(address, archive, start) {
  if (!possible()) return;
  const cache = await caches.open(CACHE);
  const name = await key(address, archive);
  if (await cache.match(name)) return;
  const memory = (await start()).makeMemorySnapshot();
  await cache.delete(address, { ignoreSearch: true });
  await cache.put(name, new Response(memory));
}
