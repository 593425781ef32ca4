// @ts-check
// Requests to the hub. The message of a thrown Error can be shown to the user.

const GET_MS = 10000;
const POST_MS = 8000;

export class Refused extends Error {
  /** @param {string} message @param {number} status @param {any} [body] content of the answer */
  constructor(message, status, body = null) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/** @type {(status: number) => void} */
let onRefusal = () => {};

/** @param {(status: number) => void} listener called for 401 and 403 */
export function whenRefused(listener) {
  onRefusal = listener;
}

/** @param {Response} response @returns {Promise<any>} */
async function read(response) {
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  if (response.status === 401 || response.status === 403) onRefusal(response.status);
  const words = {
    401: "you are not logged in, or your session has expired",
    403: "you do not have permission for this",
    404: "the hub does not have this",
    413: "too large: at most 1 MiB",
  };
  const told = typeof body?.error === "string" ? body.error : words[/** @type {401} */ (response.status)];
  throw new Refused(told ?? `the hub answered ${response.status}`, response.status);
}

/** @param {unknown} error */
export function inWords(error) {
  if (error instanceof Refused) return error.message;
  if (error instanceof DOMException && error.name === "TimeoutError") return "the hub did not answer in time";
  if (error instanceof TypeError) return "the hub cannot be reached";
  return error instanceof Error ? error.message : String(error);
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function get(path, signal) {
  const timeout = AbortSignal.timeout(GET_MS);
  const response = await fetch(path, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout, cache: "no-store" });
  return read(response);
}

/** @param {string} path @param {object} body @returns {Promise<any>} */
export async function post(path, body) {
  const headers = { "content-type": "application/json", "x-xpuck": "1" };
  const options = { method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(POST_MS) };
  const answer = await read(await fetch(path, options));
  if (answer?.ok === false) {
    throw new Refused(typeof answer.error === "string" ? answer.error : "the hub refused", 200, answer);
  }
  return answer;
}

/** Encodes a part of a path. @param {string} id */
export const part = (id) => encodeURIComponent(id);
