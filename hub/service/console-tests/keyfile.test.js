import assert from "node:assert/strict";
import test from "node:test";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { importSeed, parseKeyFile, sign, z85 } from "../console/link/keyfile.js";
import { tokenOf } from "../console/link/session.js";

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
const hex = (bytes) => Buffer.from(bytes).toString("hex");

function encode(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 4) {
    let value = Buffer.from(bytes).readUInt32BE(i);
    let five = "";
    for (let k = 0; k < 5; k++) [five, value] = [DIGITS[value % 85] + five, Math.floor(value / 85)];
    text += five;
  }
  return text;
}

const file = (name, secret) => `[public]\nname = "${name}"\ncurve = "${"0".repeat(40)}"\ned25519 = "${"1".repeat(40)}"\n\n[secret]\ncurve = "${"2".repeat(40)}"\ned25519 = "${secret}"\n`;

test("Z85 as in ZeroMQ RFC 32", () => {
  assert.equal(hex(z85("HelloWorld")), "864fd26fb559f75b");
  assert.throws(() => z85("Hell"), /40 characters/);
  assert.throws(() => z85("Hell\""), /not Z85/);
  assert.throws(() => z85("#####"), /not valid Z85/);
});

test("a key file gives the name and the seed, with every character of Z85 in it", () => {
  const seed = Buffer.from(Array.from({ length: 32 }, (_, i) => (i * 37 + 11) % 256));
  const told = parseKeyFile(file("anna", encode(seed)));
  assert.equal(told.name, "anna");
  assert.equal(hex(told.seed), hex(seed));
  assert.equal(parseKeyFile(file("anna", "#".repeat(4) + "0".repeat(36)).replace("####", "0##0")).name, "anna");
});

test("what is no key file is refused in words", () => {
  assert.throws(() => parseKeyFile("hello"), /no key file/);
  assert.throws(() => parseKeyFile(""), /no key file/);
  assert.throws(() => parseKeyFile("[public]\nname = \"anna\"\ned25519 = \"x\"\n"), /public key/);
  assert.throws(() => parseKeyFile(file("anna", "short")), /40 characters/);
  assert.throws(() => parseKeyFile("x".repeat(5000)), /too large/);
});

test("what is signed here is what the public key verifies, and the key cannot be read out", async () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(16);
  const copy = new Uint8Array(seed);
  const key = await importSeed(copy);
  assert.equal(hex(copy), "00".repeat(32));
  assert.equal(key.extractable, false);
  const text = "xpuck console 1\n127.0.0.1:7600\nabcd";
  const signature = Buffer.from(await sign(key, text), "hex");
  assert.ok(verify(null, Buffer.from(text), createPublicKey(privateKey), signature));
  await assert.rejects(crypto.subtle.exportKey("pkcs8", key));
});

test("one-time links and bare tokens", () => {
  assert.equal(tokenOf(" http://hub:7600/#link=abc-DEF_1 "), "abc-DEF_1");
  assert.equal(tokenOf("abcdef"), "abcdef");
  assert.equal(tokenOf("what is this"), "");
  assert.equal(tokenOf(""), "");
});
