// @ts-check
// Threads that run the WebAssembly library, and requests to them.

/** @typedef {Record<string, any>} Request */

/** Error of a request: one line for the user. */
export class RequestError extends Error {}

/** One thread. Requests are answered in order. */
export class Thread {
  /** @param {Promise<WebAssembly.Module>} module */
  constructor(module) {
    this.module = module;
    /** @type {Map<number, {done: (answer: any) => void, failed: (error: Error) => void}>} */
    this.asked = new Map();
    this.number = 0;
    /** @type {Worker | null} */
    this.worker = null;
  }

  /** Starts the thread, for its first request and after a failure. */
  begin() {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => this.hear(data);
    worker.onerror = (event) => this.fail(event.message ?? "a thread could not be started; reload the page");
    this.worker = worker;
    this.ready = this.module.then((module) => worker.postMessage({ module }));
  }

  /** @param {any} data */
  hear({ number, answer, failed }) {
    if (failed) return this.fail(`the library failed (${failed})`);
    const asked = this.asked.get(number);
    this.asked.delete(number);
    if (answer.error) asked?.failed(new RequestError(answer.error));
    else asked?.done(answer);
  }

  /** Ends the thread, and rejects all requests. @param {string} why */
  fail(why) {
    const asked = [...this.asked.values()];
    this.asked.clear();
    this.worker?.terminate();
    this.worker = null;
    for (const { failed } of asked) failed(new RequestError(why));
  }

  /** @param {Request} request @returns {Promise<any>} the answer */
  ask(request) {
    const number = ++this.number;
    if (!this.worker) this.begin();
    const { worker } = this;
    return new Promise((done, failed) => {
      this.asked.set(number, { done, failed });
      this.ready?.then(() => worker?.postMessage({ number, request: JSON.stringify(request) }), (error) => failed(new RequestError(`the library could not be loaded: ${error.message}`)));
    });
  }
}

/** All threads of the page. `front` answers quick requests. Runs and islands have threads of their own, one for each core. */
export class Engine {
  constructor() {
    const module = load(new URL("./xpuck.wasm", import.meta.url));
    // A failure is reported by the requests.
    module.catch(() => {});
    this.front = new Thread(module);
    this.cores = Math.min(16, Math.max(1, navigator.hardwareConcurrency || 2));
    const threads = () => Array.from({ length: this.cores }, () => new Thread(module));
    this.runs = threads();
    this.islands = threads();
    this.loaded = module.then(() => undefined);
  }

  /**
   * Distributes requests over the threads for runs. Each thread gets the next request when it is free.
   * @param {Request[]} requests @param {(answer: any, index: number) => void} done called for each answer
   */
  async spread(requests, done) {
    let next = 0;
    const work = async (/** @type {Thread} */ thread) => {
      while (next < requests.length) {
        const index = next++;
        done(await thread.ask(requests[index]), index);
      }
    };
    await Promise.all(this.runs.map(work));
  }
}

/** @param {URL} url @returns {Promise<WebAssembly.Module>} */
async function load(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname}: ${response.status} ${response.statusText}`);
  // Some web servers send another type than application/wasm, which streaming rejects.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
