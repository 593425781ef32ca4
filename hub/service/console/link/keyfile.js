// @ts-check
// Key file of an operator: TOML with keys in Z85. The secret is imported once as a key that cannot be exported.

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
// PKCS 8 prefix of an Ed25519 key; the 32 bytes of the seed follow.
const PKCS8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const MOST = 4096;

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
export function z85(text) {
  if (text.length % 5 !== 0) throw new Error("a key has 40 characters");
  const bytes = new Uint8Array((text.length / 5) * 4);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i += 5) {
    let value = 0;
    for (const character of text.slice(i, i + 5)) {
      const digit = DIGITS.indexOf(character);
      if (digit < 0) throw new Error("a key has a character that is not Z85");
      value = value * 85 + digit;
    }
    if (value > 0xffffffff) throw new Error("a key is not valid Z85");
    view.setUint32((i / 5) * 4, value);
  }
  return bytes;
}

/**
 * Parses the file, which consists of tables of strings.
 * @param {string} text @returns {{name: string, seed: Uint8Array<ArrayBuffer>}}
 */
export function parseKeyFile(text) {
  if (text.length > MOST) throw new Error("this file is too large for a key");
  /** @type {Record<string, string>} */
  const values = {};
  let table = "";
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const head = /^\[\s*([A-Za-z0-9_-]+)\s*\](?:\s*#.*)?$/.exec(line);
    // Z85 contains `#`, so only text after the closing quote is a comment.
    const entry = /^([A-Za-z0-9_-]+)\s*=\s*(?:"([^"\\]*)"|'([^']*)')(?:\s*#.*)?$/.exec(line);
    if (head) table = head[1];
    else if (entry) values[`${table}.${entry[1]}`] = entry[2] ?? entry[3];
    else throw new Error("this is no key file of Xpuck");
  }
  const name = values["public.name"];
  const secret = values["secret.ed25519"];
  if (!name && !secret) throw new Error("this is no key file of Xpuck");
  if (!secret) throw new Error("this is a public key (.pub); choose the file that ends in .key");
  if (!name) throw new Error("the key file has no name in [public]");
  if (secret.length !== 40) throw new Error("ed25519 of [secret] does not have 40 characters");
  return { name, seed: z85(secret) };
}

/** Returns the reason why this browser cannot sign here, or "". @returns {string} */
export function whyNoSigning() {
  if (globalThis.crypto?.subtle) return "";
  return "This browser only signs on pages that came by https or from this computer. Open the page by https, through an " +
    "SSH tunnel (ssh -L 7600:127.0.0.1:7600 HUB, then http://127.0.0.1:7600), or log in with a one-time link.";
}

/** @param {Uint8Array<ArrayBuffer>} seed overwritten after the import @returns {Promise<CryptoKey>} */
export async function importSeed(seed) {
  const why = whyNoSigning();
  if (why) throw new Error(why);
  const bytes = new Uint8Array(PKCS8.length + seed.length);
  bytes.set(PKCS8);
  bytes.set(seed, PKCS8.length);
  try {
    return await crypto.subtle.importKey("pkcs8", bytes, { name: "Ed25519" }, false, ["sign"]);
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotSupportedError") {
      throw new Error("This browser has no Ed25519. Take a newer one (Firefox 130, Safari 17, Chrome 137), or a one-time link.");
    }
    throw new Error("the key in this file cannot be used");
  } finally {
    bytes.fill(0);
    seed.fill(0);
  }
}

/** @param {CryptoKey} key @param {string} text @returns {Promise<string>} the signature in hexadecimal digits */
export async function sign(key, text) {
  const signature = await crypto.subtle.sign({ name: "Ed25519" }, key, new TextEncoder().encode(text));
  return [...new Uint8Array(signature)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
