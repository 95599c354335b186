// Every image store gives the same guarantees: a local folder, and a real S3-compatible server.
import { randomBytes, randomUUID } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { S3 } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { renderMetrics } from "@/lib/platform/metrics";
import type { ImageStore, StoredObject } from "@/lib/platform/storage/image-store";
import { LocalImageStore } from "@/lib/platform/storage/local-image-store";
import { S3ImageStore } from "@/lib/platform/storage/s3-image-store";
import { logStoreFailure } from "@/lib/platform/storage/store-failure";
import { hasObjectStore, type ObjectStore, startObjectStore } from "@/tests/support/object-store";

process.env.METRICS_PORT = "9464";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-store-"));
let server: ObjectStore;
beforeAll(async () => {
  if (hasObjectStore) server = await startObjectStore();
});
afterAll(async () => {
  await server?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Lists must be longer than this. */
const PAGE = 20;

const STORES: [string, boolean, () => ImageStore][] = [
  ["a local folder", true, () => new LocalImageStore(path.join(folder, "images"))],
  ["an S3 bucket", hasObjectStore, () => new S3ImageStore({ ...server.settings, pageSize: PAGE })],
];

describe.each(STORES)("%s", (_name, there, open) => {
  test.skipIf(!there)("returns the stored bytes to this process and others", async () => {
    const [key, bytes] = [randomUUID(), randomBytes(5_000)];
    await open().put(key, bytes);
    expect(Buffer.from((await open().get(key)) ?? []).equals(bytes)).toBe(true);
  });

  test.skipIf(!there)("stores an image of 10 MiB", async () => {
    const [key, bytes] = [randomUUID(), randomBytes(10 * 1024 * 1024)];
    await open().put(key, bytes);
    expect(Buffer.from((await open().get(key)) ?? []).equals(bytes)).toBe(true);
    await open().delete(key);
  });

  test.skipIf(!there)("returns null for an unknown key", async () => {
    expect(await open().get(randomUUID())).toBeNull();
  });

  test.skipIf(!there)("is found to be usable without a new object", async () => {
    const before = await listed(open());
    await open().check();
    expect(await listed(open())).toEqual(before);
  });

  test.skipIf(!there)("replaces the image of a key", async () => {
    const key = randomUUID();
    for (const text of ["first", "second"]) await open().put(key, Buffer.from(text));
    expect(Buffer.from((await open().get(key)) ?? []).toString()).toBe("second");
  });

  test.skipIf(!there)("deletes a key; deleting it again is not an error", async () => {
    const key = randomUUID();
    await open().put(key, Buffer.from("bytes"));
    await open().delete(key);
    expect(await open().get(key)).toBeNull();
    await open().delete(key);
  });

  test.skipIf(!there)("rejects names that are not keys", async () => {
    for (const name of ["", "..", "../../etc/passwd", "a".repeat(36), `${randomUUID()}/..`, randomUUID().toUpperCase()])
      for (const operation of [
        (store: ImageStore) => store.get(name),
        (store: ImageStore) => store.put(name, Buffer.from("x")),
        (store: ImageStore) => store.delete(name),
      ])
        await expect(operation(open())).rejects.toThrow(RangeError);
  });

  test.skipIf(!there)("lists each key once with its size and time, over more than two pages", async () => {
    const store = open();
    const before = new Set((await listed(store)).map(({ key }) => key));
    const keys = Array.from({ length: 2 * PAGE + 5 }, () => randomUUID());
    const since = Date.now();
    const queue = keys.entries();
    const worker = async () => {
      for (const [at, key] of queue) await store.put(key, Buffer.alloc(1 + (at % 7)));
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    const found = (await listed(store)).filter(({ key }) => !before.has(key));
    expect(found.map(({ key }) => key).sort()).toEqual([...keys].sort());
    const sizes = new Map(found.map(({ key, bytes }) => [key, bytes]));
    for (const [at, key] of keys.entries()) expect(sizes.get(key)).toBe(1 + (at % 7));
    // S3 rounds times to whole seconds.
    for (const { modifiedDate } of found) {
      expect(modifiedDate.getTime()).toBeGreaterThan(since - 1_001);
      expect(modifiedDate.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    }
  });
});

describe("a local folder", () => {
  test("is empty if it does not exist yet", async () => {
    expect(await listed(new LocalImageStore(path.join(folder, "nothing-here")))).toEqual([]);
  });

  test("counts what fails, but not checks", async () => {
    const file = path.join(folder, "file");
    fs.writeFileSync(file, "");
    const store = new LocalImageStore(file);
    for (const attempt of [() => store.put(randomUUID(), Buffer.from("image")), () => store.check()])
      await expect(attempt()).rejects.toThrow(OverloadedError);
    const counts = (await renderMetrics()).text.match(/^crosswalk_image_store_failures_total.+/gm);
    expect(counts?.map((line) => line.replace(/^[^{]+/, ""))).toEqual([
      '{operation="put"} 1',
      '{operation="get"} 0',
      '{operation="delete"} 0',
      '{operation="list"} 0',
    ]);
  });

  test("lists leftovers of a killed writer, so that they can be deleted, but no other files", async () => {
    const store = new LocalImageStore(path.join(folder, "drafts"));
    const [key, other] = [randomUUID(), randomUUID()];
    await store.put(key, Buffer.from("whole"));
    const place = path.join(folder, "drafts", other.slice(0, 2));
    fs.mkdirSync(place, { recursive: true });
    fs.writeFileSync(path.join(place, `${other}.part`), "hal");
    fs.writeFileSync(path.join(place, "README.txt"), "not ours");
    fs.writeFileSync(path.join(folder, "drafts", ".keep"), "");
    const names = (await listed(store)).map((object) => object.key);
    expect(names.sort()).toEqual([key, `${other}.part`].sort());
    await store.delete(`${other}.part`);
    expect((await listed(store)).map((object) => object.key)).toEqual([key]);
    expect(fs.existsSync(path.join(place, "README.txt"))).toBe(true);
  });
});

describe.skipIf(!hasObjectStore)("an S3 bucket", () => {
  test("may be shared: objects that are not images or are outside the prefix are neither listed nor touched", async () => {
    const { settings } = server;
    const { endpoint, region, forcePathStyle, accessKeyId, secretAccessKey, bucket } = settings;
    const s3 = new S3({ endpoint, region, forcePathStyle, credentials: { accessKeyId, secretAccessKey } });
    const foreign = [`other/${randomUUID()}`, randomUUID(), "cards/notes.txt", `cards/deeper/${randomUUID()}`];
    for (const Key of foreign) await s3.putObject({ Bucket: bucket, Key, Body: "theirs" });
    const keys = new Set((await listed(new S3ImageStore(settings))).map(({ key }) => key));
    for (const Key of foreign) expect(keys.has(Key.slice(-36))).toBe(false);
    s3.destroy();
  });

  test("contains only keys and bytes, without metadata", async () => {
    const { settings } = server;
    const { endpoint, region, forcePathStyle, accessKeyId, secretAccessKey, bucket, prefix } = settings;
    const s3 = new S3({ endpoint, region, forcePathStyle, credentials: { accessKeyId, secretAccessKey } });
    const key = randomUUID();
    await new S3ImageStore(settings).put(key, Buffer.from("bytes"));
    const { ContentType, Metadata } = await s3.headObject({ Bucket: bucket, Key: `${prefix}${key}` });
    expect([ContentType, Metadata]).toEqual(["application/octet-stream", {}]);
    s3.destroy();
  });

  test.each([
    ["a wrong secret", { secretAccessKey: "wrong-secret-1234" }],
    ["an unknown key", { accessKeyId: "unknown:key-5678" }],
    ["a missing bucket", { bucket: "crosswalk-no-such-bucket" }],
  ])("%s is reported as an unusable store, without secrets", async (_case, wrong) => {
    const store = new S3ImageStore({ ...server.settings, ...wrong });
    await expectUnusable(store, [server.settings.secretAccessKey, ...Object.values(wrong)]);
  });
});

describe("an S3 store that", () => {
  const settings = { region: "us-east-1", bucket: "cards", prefix: "", forcePathStyle: true };
  const keys = { accessKeyId: "key-id", secretAccessKey: "key-secret" };

  test("is unreachable is reported as an unusable store", async () => {
    await expectUnusable(new S3ImageStore({ ...settings, ...keys, endpoint: "http://127.0.0.1:1" }), ["key-secret"]);
  });

  test("breaks every connection is reported as an unusable store", async () => {
    const breaker = net.createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => breaker.listen(0, "127.0.0.1", resolve));
    const { port } = breaker.address() as net.AddressInfo;
    const store = new S3ImageStore({ ...settings, ...keys, endpoint: `http://127.0.0.1:${port}` });
    await expectUnusable(store, ["key-secret"]);
    await new Promise((resolve) => breaker.close(resolve));
  });

  test("sends half an image and then stops times out", async () => {
    const silent = net.createServer((socket) => {
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf"));
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as net.AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    const store = new S3ImageStore({ ...settings, ...keys, endpoint, operationMs: 1_500 });
    const started = performance.now();
    await expect(store.get(randomUUID())).rejects.toThrow(OverloadedError);
    expect(performance.now() - started).toBeLessThan(10_000);
    await new Promise((resolve) => silent.close(resolve));
  });
});

async function listed(store: ImageStore): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  for await (const object of store.list()) objects.push(object);
  return objects;
}

async function expectUnusable(store: ImageStore, secrets: string[]): Promise<void> {
  const operations = [
    () => store.put(randomUUID(), Buffer.from("bytes")),
    () => store.get(randomUUID()),
    () => store.delete(randomUUID()),
    () => listed(store),
    () => store.check(),
  ];
  const lines = vi.spyOn(log, "error");
  const errors: OverloadedError[] = [];
  for (const operation of operations) {
    const error = (await operation().catch((thrown: unknown) => thrown)) as OverloadedError;
    expect(error).toBeInstanceOf(OverloadedError);
    expect(error.reason).toBe("image_store_unavailable");
    const text = `${error.message} ${error.stack} ${(error.cause as Error).stack} ${JSON.stringify(error.cause)}`;
    for (const secret of secrets) expect(text).not.toContain(secret);
    errors.push(error);
  }
  // The request or job that failed logs it, once.
  expect(lines).not.toHaveBeenCalled();
  for (const error of errors) logStoreFailure(error, { request: "of-the-test" });
  expect(lines.mock.calls.map(([fields]) => fields)).toEqual(
    ["put", "get", "delete", "list", "check"].map((operation) =>
      expect.objectContaining({ operation, request: "of-the-test" }),
    ),
  );
  lines.mockRestore();
}
