// Calls a module of WebAssembly as a browser would: memory of its own, and a C library of two functions.
//
// node host.mjs module.wasm '{"inputs": [[kind, elements], …], "sizes": […], "results": [[kind, count], …], "open": 0}'
import { readFileSync } from "node:fs";

const [path, text] = process.argv.slice(2);
const call = JSON.parse(text);
const kinds = { Float32Array, Int32Array, BigInt64Array };
let memory;
let top = 0;

function take(align, bytes) {
  const at = Math.ceil(top / align) * align;
  top = at + bytes;
  const missing = top - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65536));
  return at;
}

function place(kind, elements) {
  const at = take(64, elements.length * kind.BYTES_PER_ELEMENT + 64);
  new kind(memory.buffer, at, elements.length).set(elements);
  return at;
}

const env = { malloc: (bytes) => take(64, bytes), aligned_alloc: take, free: () => {} };
const module = new WebAssembly.Module(readFileSync(path));
const run = new WebAssembly.Instance(module, { env }).exports;
memory = run.memory;
top = memory.buffer.byteLength;

const inputs = call.inputs.map(([kind, elements]) => place(kinds[kind], elements));
inputs.push(place(BigInt64Array, call.sizes.map(BigInt)));
const room = call.results.map(([kind, count]) => place(kinds[kind], new Array(call.open ? 16 : count).fill(0)));
const status = run.m_run(place(Uint32Array, inputs), place(Uint32Array, room), 0);
if (status !== 0) {
  const bytes = new Uint8Array(memory.buffer, run.m_error(status));
  console.log(new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0))));
  process.exit(1);
}
call.results.forEach(([kind, count], i) => {
  const at = call.open ? new Uint32Array(memory.buffer, room[i], 1)[0] : room[i];
  for (const element of new kinds[kind](memory.buffer, at, count)) console.log(String(element));
});
