// What an answer finds of the browser: JavaScript itself, and what Pyodide needs beside it. Whoever wrote the answer, it reaches no
// network, no storage, no other thread, and not the page: all other names are taken from this thread before it begins.
// What has no name can still be asked for with import(): the policy of the page, which this thread has, knows of no other host.
const LEFT = new Set(`
  Object Function Array Number Boolean String Symbol BigInt Date Promise RegExp JSON Math Intl Map Set WeakMap WeakSet WeakRef Proxy Reflect
  Infinity NaN undefined globalThis parseFloat parseInt isFinite isNaN decodeURI decodeURIComponent encodeURI encodeURIComponent escape
  unescape eval Iterator FinalizationRegistry DisposableStack AsyncDisposableStack
  Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError DOMException
  ArrayBuffer SharedArrayBuffer Atomics DataView Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array
  BigInt64Array Uint8ClampedArray Float16Array Float32Array Float64Array
  WebAssembly TextDecoder TextEncoder URL AbortController MessageChannel MessagePort console performance crypto
  setTimeout clearTimeout setInterval clearInterval queueMicrotask
`.trim().split(/\s+/));

export function lock() {
  for (let scope = globalThis; scope !== Object.prototype; scope = Object.getPrototypeOf(scope)) {
    for (const name of Object.getOwnPropertyNames(scope)) if (!LEFT.has(name)) Reflect.deleteProperty(scope, name);
  }
}

// Python then raises a MemoryError, and the machine does not swap.
export function limitMemory(bytes) {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function limited(pages) {
    if (this.buffer.byteLength + 65536 * pages > bytes) throw new RangeError("memory");
    return grow.call(this, pages);
  };
}
