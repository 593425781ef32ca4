// @ts-check
// Thread with its own instance of the WebAssembly library. It answers one request after another.

/** @type {Promise<any>} exported functions of the library, which comes with the first message */
let loaded;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** @param {any} library @param {string} request @returns {string} */
function answer(library, request) {
  const bytes = encoder.encode(request);
  const at = library.reserve(bytes.length);
  // The memory may have moved since the last call.
  new Uint8Array(library.memory.buffer, at, bytes.length).set(bytes);
  const length = library.answer();
  return decoder.decode(new Uint8Array(library.memory.buffer, library.text(), length));
}

addEventListener("message", async ({ data }) => {
  const reply = (/** @type {any} */ told) => /** @type {any} */ (self).postMessage(told);
  try {
    // Requests may arrive before the library is ready.
    if (data.module) loaded = WebAssembly.instantiate(/** @type {WebAssembly.Module} */ (data.module), {}).then((instance) => instance.exports);
    const library = await loaded;
    if (data.request) reply({ number: data.number, answer: JSON.parse(answer(library, data.request)) });
  } catch (error) {
    // A trap leaves the library in an unknown state, so the page replaces this thread.
    reply({ number: data.number, failed: String(error) });
  }
});
