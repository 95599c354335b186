// `npm run images` as users see it: options, exit codes, output.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { processImage, storeImage } from "@/lib/platform/storage/process-image";
import { call, MARIA, seedBasics, seedPatient } from "../support/api";
import { cloneDatabase, withLoginOf } from "../support/databases";
import { imageContent, pngImage } from "../support/images";
import { runScript } from "../support/run-script";

const folder = process.env.IMAGE_STORE_DIR as string;
const fileOf = (key: string) => path.join(folder, key.slice(0, 2), key);

let keys: string[];
let patient: number;
beforeAll(async () => {
  const { token, enabled, physicians } = await seedBasics();
  patient = await seedPatient(enabled, physicians.enabled);
  const { body } = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  keys = [];
  for (const seed of [1, 2, 3]) {
    const image = await imageContent(seed);
    const response = await call("POST", `patients/${patient}/policies/${body.id}/card-images`, {
      token,
      body: { image },
    });
    keys.push(new URL(response.body.url).pathname.slice(-36));
  }
});

const run = (args: string[], settings?: Record<string, string>) => runScript("images.ts", args, settings);

describe("errors are one line with exit code 2:", () => {
  test.concurrent.each<[string[], string]>([
    [[], "Usage: npm run images"],
    [["mend"], '"mend" is not a command'],
    [["__proto__"], '"__proto__" is not a command'],
    [["constructor"], '"constructor" is not a command'],
    [["check", "twice"], '"twice" is an unexpected argument'],
    [["check", "--force"], "--force is not an option of check"],
    [["check", "--quick"], "Unknown option '--quick'"],
    [["sweep", "--older-than", "0"], "--older-than must be a whole number of hours, 1 or more"],
    [["copy", "--from", "nowhere"], "--from nowhere is not a folder"],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

test("damaged and missing images are named with exit code 1, and a copy from a backup restores them", async () => {
  const backup = `${folder}-backup`;
  fs.cpSync(folder, backup, { recursive: true });
  const [whole, damaged, missing] = keys as [string, string, string];
  fs.writeFileSync(fileOf(damaged), await pngImage(4));
  fs.rmSync(fileOf(missing));
  const bad = await run(["check"]);
  expect(bad.code).toBe(1);
  expect(bad.stdout).toContain("Images: 3 known, 1 match, 1 missing, 1 damaged");
  expect(bad.stdout).toContain(`damaged  ${damaged}  policy`);
  expect(bad.stdout).toContain(`missing  ${missing}  policy`);
  expect(bad.stdout).not.toContain(whole);
  const copied = await run(["copy", "--from", backup]);
  expect(copied).toMatchObject({ code: 0, stderr: "" });
  expect(copied.stdout).toContain("3 match, 2 copied, 1 already there, 0 missing, 0 damaged");
  expect((await run(["check"])).code).toBe(0);
});

test("a sweep counts in a dry run, and deletes otherwise", async () => {
  const { image_key } = await storeImage(await processImage(await pngImage(5)), new Date().toISOString());
  const then = new Date(Date.now() - 3 * 3_600_000);
  fs.utimesSync(fileOf(image_key), then, then);
  expect((await run(["sweep"])).stdout).toContain("Store: 4 objects, 0 without a record, older than 24 h");
  const dry = await run(["sweep", "--older-than", "2", "--dry-run"]);
  expect(dry.stdout).toContain("1 without a record, older than 2 h");
  expect(dry.stdout).toContain("Dry run: nothing was deleted");
  expect(fs.existsSync(fileOf(image_key))).toBe(true);
  const swept = await run(["sweep", "--older-than", "2"]);
  expect([swept.code, swept.stdout]).toEqual([0, expect.stringContaining("1 deleted")]);
  expect(fs.existsSync(fileOf(image_key))).toBe(false);
});

test("a sweep deletes what it can, and exits with 1 if an image is left", async () => {
  const [whole, bad] = [randomUUID(), randomUUID()];
  // A folder can't be deleted like an image.
  fs.mkdirSync(path.join(fileOf(bad), "inside"), { recursive: true });
  fs.mkdirSync(path.dirname(fileOf(whole)), { recursive: true });
  fs.writeFileSync(fileOf(whole), "x");
  for (const key of [whole, bad]) fs.utimesSync(fileOf(key), 0, 0);
  const { code, stdout } = await run(["sweep"]);
  expect([code, stdout]).toEqual([1, expect.stringContaining("1 deleted, 1 could not be deleted\n")]);
  expect(stdout).not.toContain(bad);
  fs.rmSync(fileOf(bad), { recursive: true });
});

test("a sweep on a database without images exits with 1; --force allows it", async () => {
  const elsewhere = `${folder}-elsewhere`;
  const strange = path.join(elsewhere, path.relative(folder, fileOf(randomUUID())));
  fs.mkdirSync(path.dirname(strange), { recursive: true });
  fs.writeFileSync(strange, "another installation's");
  fs.utimesSync(strange, 0, 0);
  const empty = await cloneDatabase({ server: inject("server"), template: inject("template"), run: inject("run") });
  const settings = { DATABASE_URL: withLoginOf(inject("runtime"), empty.url), IMAGE_STORE_DIR: elsewhere };
  const rejected = await run(["sweep"], settings);
  expect([rejected.code, rejected.stdout]).toEqual([1, ""]);
  expect(rejected.stderr).toContain("1 of 1 card images in the store have no record, and this database has no images");
  expect(rejected.stderr).toContain("sweep --force");
  expect(rejected.stderr.trim().split("\n")).toHaveLength(1);
  expect((await run(["sweep", "--dry-run"], settings)).code).toBe(1);
  expect(fs.existsSync(strange)).toBe(true);
  expect((await run(["sweep", "--force"], settings)).stdout).toContain("1 deleted");
  expect(fs.existsSync(strange)).toBe(false);
  await empty.drop();
});

test("an unreachable store is one line and exit code 1, without its secrets", async () => {
  const s3 = { IMAGE_STORE: "s3", S3_BUCKET: "cards", S3_ENDPOINT: "http://127.0.0.1:1" };
  const keysOf = { S3_ACCESS_KEY_ID: "key-id", S3_SECRET_ACCESS_KEY: "key-secret" };
  const { code, stdout, stderr } = await run(["check"], { ...s3, ...keysOf });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain("Card images can't be reached");
  expect(stderr).not.toMatch(/key-id|key-secret/);
});
