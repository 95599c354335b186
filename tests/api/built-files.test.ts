// The built files of pages: sent as the build compressed them, to be kept by browsers for good.
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtFiles, isBuiltFile } from "@/lib/platform/http/built-files";
import { compressFiles } from "@/scripts/lib/compress.mjs";

const SCRIPT = "console.log('a script of a page');\n".repeat(50);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-files-"));
let server: http.Server;

beforeAll(async () => {
  fs.mkdirSync(path.join(folder, "static/chunks"), { recursive: true });
  fs.mkdirSync(path.join(folder, "static/media"));
  fs.writeFileSync(path.join(folder, "static/chunks/a.js"), SCRIPT);
  fs.writeFileSync(path.join(folder, "static/media/a.woff2"), "a font");
  fs.writeFileSync(path.join(folder, "secret.json"), "{}");
  await compressFiles(path.join(folder, "static"));
  server = http.createServer(builtFiles(folder)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
});
afterAll(() => {
  server.close();
  fs.rmSync(folder, { recursive: true });
});

interface Received {
  status: number | undefined;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/** Sends a request without `fetch`, which would decompress the response and resolve the path. */
function send(file: string, encoding = "", method = "GET"): Promise<Received> {
  const { port } = server.address() as AddressInfo;
  const headers = encoding === "" ? {} : { "accept-encoding": encoding };
  return new Promise((resolve, reject) => {
    const request = http.request({ port, path: file, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    request.on("error", reject).end();
  });
}

test.each([
  ["gzip, deflate, br", "br", zlib.brotliDecompressSync],
  ["gzip, deflate", "gzip", zlib.gunzipSync],
  ["", undefined, (bytes: Buffer) => bytes],
] as const)("a client that accepts %j gets a script in %s", async (accepted, encoding, decompress) => {
  const { status, headers, bytes } = await send("/_next/static/chunks/a.js", accepted);
  expect(status).toBe(200);
  expect(headers["content-encoding"]).toBe(encoding);
  expect(headers["content-type"]).toMatch(/^text\/javascript/);
  expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(Number(headers["content-length"])).toBe(bytes.length);
  expect(decompress(bytes).toString()).toBe(SCRIPT);
  if (encoding) {
    expect(headers.vary).toMatch(/accept-encoding/i);
    expect(bytes.length).toBeLessThan(SCRIPT.length / 2);
  }
});

test("files that are compressed already are sent as they are", async () => {
  const { headers, bytes } = await send("/_next/static/media/a.woff2", "br");
  expect([headers["content-encoding"], headers["content-type"], bytes.toString()]).toEqual([
    undefined,
    "font/woff2",
    "a font",
  ]);
});

test("HEAD returns the same headers without the file", async () => {
  const { status, headers, bytes } = await send("/_next/static/chunks/a.js", "br", "HEAD");
  expect([status, headers["content-encoding"], bytes.length]).toEqual([200, "br", 0]);
});

test.each([
  "/_next/static/chunks/b.js",
  "/_next/static/../secret.json",
  "/_next/static/%2e%2e/secret.json",
  "/_next/static/",
])("%s is not found", async (file) => {
  expect((await send(file)).status).toBe(404);
});

test("only paths below _next/static are built files", () => {
  const paths = ["/_next/static/a.js", "/_next/image", "/_next/data", "/", undefined];
  expect(paths.map(isBuiltFile)).toEqual([true, false, false, false, false]);
});
