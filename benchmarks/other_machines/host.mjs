// Calls a network in WebAssembly: node host.mjs module.wasm inputs… outputs… bytes of each output…
import { readFileSync, writeFileSync } from "node:fs";

const [path, ...rest] = process.argv.slice(2);
const count = rest.filter((word) => /^\d+$/.test(word)).length;
const sizes = rest.slice(-count).map(Number);
const outputs = rest.slice(-2 * count, -count);
const inputs = rest.slice(0, -2 * count);
let memory;
let top = 0;

function take(align, bytes) {
  const at = Math.ceil(top / align) * align;
  top = at + bytes;
  const missing = top - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65536));
  return at;
}

function place(elements) {
  const at = take(64, elements.byteLength + 64);
  new Uint8Array(memory.buffer, at, elements.byteLength).set(new Uint8Array(elements.buffer));
  return at;
}

const env = { malloc: (bytes) => take(64, bytes), aligned_alloc: take, free: () => {} };
const module = new WebAssembly.Module(readFileSync(path));
const run = new WebAssembly.Instance(module, { env }).exports;
memory = run.memory;
top = memory.buffer.byteLength;

const given = inputs.map((name) => place(new Uint8Array(readFileSync(name))));
const room = sizes.map((bytes) => take(64, bytes + 64));
const status = run.m_run(place(Uint32Array.from(given)), place(Uint32Array.from(room)), 0);
outputs.forEach((name, i) => {
  writeFileSync(name, new Uint8Array(memory.buffer, room[i], sizes[i]));
});
process.exit(status);
