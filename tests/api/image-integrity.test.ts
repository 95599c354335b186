// Clients get exactly the bytes that were uploaded, or none.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { imageStore } from "@/lib/platform/storage/image-store";
import { hashImage } from "@/lib/platform/storage/read-image";
import { signedImageUrl } from "@/lib/platform/storage/signed-url";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "@/tests/support/api";
import { imageContent, pngImage } from "@/tests/support/images";
import { snapshot } from "@/tests/support/snapshot";

const folder = process.env.IMAGE_STORE_DIR as string;
const keyOf = (url: string) => new URL(url).pathname.split("/").at(-1) as string;
const fileOf = (url: string) => path.join(folder, keyOf(url).slice(0, 2), keyOf(url));

let basics: Basics;
let token: string;
let cards: string;
beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});
beforeEach(async () => {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const { body } = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  cards = `patients/${patient}/policies/${body.id}/card-images`;
});

async function upload(seed: number): Promise<{ url: string; sha256: string }> {
  const { status, body } = await call("POST", cards, {
    token,
    body: { image: await imageContent(seed), image_rank: 1 },
  });
  expect(status).toBe(201);
  return body;
}

const DAMAGE: [string, (bytes: Buffer) => Buffer][] = [
  ["a flipped bit", (bytes) => Buffer.from(bytes.map((byte, at) => (at === bytes.length - 20 ? byte ^ 1 : byte)))],
  ["a truncated end", (bytes) => bytes.subarray(0, -1)],
  ["an extra byte", (bytes) => Buffer.concat([bytes, Buffer.from([0])])],
  ["nothing in it", () => Buffer.alloc(0)],
  ["zeros instead of its bytes", (bytes) => Buffer.alloc(bytes.length)],
];

describe("503 image_damaged, without any bytes of the image,", () => {
  test.each(DAMAGE)("is returned for an image with %s", async (_case, damage) => {
    const { url } = await upload(1);
    const whole = fs.readFileSync(fileOf(url));
    fs.writeFileSync(fileOf(url), damage(whole));
    const { status, body, headers } = await call("GET", url);
    expect([status, body.code, headers.get("content-type")]).toEqual([
      503,
      "image_damaged",
      "application/json; charset=utf-8",
    ]);
    expect(headers.get("retry-after")).toBeNull();
    fs.writeFileSync(fileOf(url), whole);
    expect((await call("GET", url)).status).toBe(200);
  });

  test("is returned if two images were swapped", async () => {
    const first = await upload(2);
    const second = await upload(3);
    const [a, b] = [fs.readFileSync(fileOf(first.url)), fs.readFileSync(fileOf(second.url))];
    fs.writeFileSync(fileOf(first.url), b);
    fs.writeFileSync(fileOf(second.url), a);
    for (const { url } of [first, second]) expect((await call("GET", url)).body.code).toBe("image_damaged");
  });

  test("is returned for a legacy card", async () => {
    const patient = await seedPatient(basics.disabled, basics.physicians.disabled);
    const body = { rank: 1, side: 1, image: await imageContent(4) };
    await call("POST", `patients/${patient}/insurance_cards`, { token, body });
    const { body: list } = await call("GET", `patients/${patient}/insurance_cards`, { token });
    const url = JSON.stringify(list).match(/http[^"]+card_images[^"]+/)?.[0] as string;
    expect((await call("GET", url)).status).toBe(200);
    fs.writeFileSync(fileOf(url), await pngImage(5));
    expect((await call("GET", url)).body.code).toBe("image_damaged");
  });
});

describe("200", () => {
  test("the bytes have the hash that the upload returned", async () => {
    const { url, sha256 } = await upload(6);
    const { status, body } = await call("GET", url);
    expect([status, hashImage(body)]).toEqual([200, sha256]);
  });

  test("a replaced image can still be read", async () => {
    const before = await upload(7);
    await upload(8);
    const { status, body } = await call("GET", before.url);
    expect([status, hashImage(body)]).toEqual([200, before.sha256]);
  });
});

describe("404", () => {
  test("is returned for an image whose bytes are gone", async () => {
    const { url } = await upload(9);
    fs.rmSync(fileOf(url));
    expect((await call("GET", url)).body.code).toBe("not_found");
  });

  test("is returned for bytes without a record, even with a signed link", async () => {
    const key = randomUUID();
    await imageStore().put(key, await pngImage(10));
    const { url } = signedImageUrl(key, new URL("http://localhost:3000"));
    expect((await call("GET", url)).status).toBe(404);
  });
});

test("503 for an upload that the disk rejects, with nothing recorded", async () => {
  await upload(11);
  const aside = `${folder}-aside`;
  fs.renameSync(folder, aside);
  fs.writeFileSync(folder, "a file where the folder should be");
  const before = await snapshot();
  const { status, body } = await call("POST", cards, { token, body: { image: await imageContent(12) } });
  expect([status, body.code]).toEqual([503, "image_store_unavailable"]);
  expect(await snapshot()).toEqual(before);
  fs.rmSync(folder);
  fs.renameSync(aside, folder);
  expect((await call("POST", cards, { token, body: { image: await imageContent(12) } })).status).toBe(201);
});
