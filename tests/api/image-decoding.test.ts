// Images are decoded outside the request: in a separate process, outside transactions, a few at a time, and fairly.
import http from "node:http";
import { deflateSync } from "node:zlib";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { staffRoutes } from "@/generated/staff-routes";
import { pool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import { createServer, listen } from "@/lib/platform/http/server";
import { log } from "@/lib/platform/log";
import { decodeQueue } from "@/lib/platform/storage/decode-queue";
import { type ApiResponse, type Basics, call, MARIA, seedBasics, seedPatient, tokenFor } from "@/tests/support/api";
import { decoderPids, holdDecoder, until } from "@/tests/support/decoders";
import { pngImage, pngOf } from "@/tests/support/images";
import { snapshot } from "@/tests/support/snapshot";

process.env.IMAGE_DECODERS = "1";

let basics: Basics;
let token: string;
let patient: number;
let policy: number;
let image: string;
let held: { go: () => void } | null = null;

beforeAll(async () => {
  // Decoders that an earlier file of this process left idle.
  for (const pid of decoderPids()) process.kill(pid, "SIGKILL");
  await until(() => decoderPids().length === 0);
  basics = await seedBasics();
  token = basics.token;
  image = (await pngImage(1)).toString("base64");
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  policy = (await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } })).body.id;
});
/** Stops the running decoder. */
beforeEach(async () => {
  await upload();
  held = holdDecoder();
});
afterEach(() => {
  held?.go();
  held = null;
  vi.restoreAllMocks();
});
const go = () => held?.go();

const upload = (by = token): Promise<ApiResponse> =>
  call("POST", `patients/${patient}/policies/${policy}/card-images`, {
    token: by,
    body: { image: { base64_content: image }, image_rank: 1 },
  });
const fax = (images: readonly string[], practice = basics.enabled): Promise<ApiResponse> =>
  call("POST", "incoming_files", {
    token,
    body: {
      group_name: "Fax",
      practice,
      images: images.map((base64_content) => ({ base64_content, content_type: "image/png" })),
    },
  });
const photo = (of: number, practice: number): Promise<ApiResponse> =>
  call("POST", `patients/${of}/profile_image`, {
    token,
    body: { base_64: image, original_filename: "a.png", patient: of, practice },
  });

/** Builds a 5 KB image of 40 megapixels. */
const bomb = () =>
  pngOf({ width: 8_000, height: 5_000, bitDepth: 1, pixels: deflateSync(Buffer.alloc(5_000 * 1_001)) }).toString(
    "base64",
  );

const connectionsInUse = () => pool().totalCount - pool().idleCount;

/** Sends requests and waits until all of them wait for the decoder. */
async function waiting(
  sends: readonly (() => Promise<ApiResponse>)[],
): Promise<{ responses: Promise<ApiResponse[]>; completed: () => number }> {
  const before = decodeQueue().pending;
  let completed = 0;
  const responses = Promise.all(
    sends.map(async (send) => {
      const response = await send();
      completed += 1;
      return response;
    }),
  );
  await until(() => decodeQueue().pending === before + sends.length);
  return { responses, completed: () => completed };
}

test("no database connection is held while images wait to be decoded", async () => {
  const { responses, completed } = await waiting([
    ...Array.from({ length: 12 }, () => () => fax([image])),
    () => photo(patient, basics.enabled),
    () => upload(),
  ]);
  // Periodic writes hold one for a moment. No request continues before the decoder does.
  await until(() => connectionsInUse() === 0);
  expect(completed()).toBe(0);
  const open = await db.first<{ count: number }>(
    sql`SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
  );
  expect(open?.count).toBe(0);
  go();
  expect((await responses).map(({ status }) => status)).toEqual([...Array(12).fill(201), 200, 201]);
});

describe("rejected before any image is decoded", () => {
  const cases: [string, () => Promise<ApiResponse>, number][] = [
    ["a fax to another organization's practice", () => fax([image], basics.foreign), 400],
    ["a photo of a nonexistent patient", () => photo(999_999_999, basics.enabled), 404],
    ["a photo in another practice than the patient's", () => photo(patient, basics.disabled), 400],
    [
      "a card image on an older version of the policy",
      () =>
        call("POST", `patients/${patient}/policies/${policy}/card-images`, {
          token,
          body: { image: { base64_content: image } },
          headers: { "if-match": '"999"' },
        }),
      412,
    ],
    [
      "a card image of a nonexistent policy",
      () =>
        call("POST", `patients/${patient}/policies/999999999/card-images`, {
          token,
          body: { image: { base64_content: image } },
        }),
      404,
    ],
    ["one of the images is not an image", () => fax([image, Buffer.from("text").toString("base64")]), 400],
    ["more than 100 images", () => fax(Array(101).fill(image)), 400],
    ["440 megapixels in eleven images", () => fax(Array(11).fill(bomb())), 400],
  ];
  test.each(cases)("%s", async (_case, send, status) => {
    const before = await snapshot();
    expect((await send()).status).toBe(status);
    expect(await snapshot()).toEqual(before);
  });

  test("problems of images are reported at their place, all under the field that contains the images", async () => {
    const wrong = await fax([image, Buffer.from("text").toString("base64")]);
    expect(wrong.body).toEqual({ images: [{}, { base64_content: [expect.any(String)] }] });
    for (const images of [Array(101).fill(image), Array(11).fill(bomb())])
      expect((await fax(images)).body).toEqual({ images: [expect.any(String)] });
  });
});

describe("when many images wait", () => {
  test("the next image of the same caller gets a 503 with a reason and Retry-After; another caller's image still waits", async () => {
    const colleague = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
    const before = await snapshot();
    const { responses, completed } = await waiting([...Array(33)].map(() => () => upload()));
    const rejected = await upload();
    expect([rejected.status, rejected.body.code, rejected.headers.get("retry-after")]).toEqual([
      503,
      "image_queue_full",
      "3",
    ]);
    expect(await snapshot()).toEqual(before);
    const { responses: another } = await waiting([() => upload(colleague)]);
    expect(completed()).toBe(0);
    go();
    expect((await another).map(({ status }) => status)).toEqual([201]);
    expect((await responses).every(({ status }) => status === 201)).toBe(true);
  });

  test("callers take turns: one image of a late caller does not wait for all of another's", async () => {
    const colleague = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
    // The order of decoding; the order of the responses also depends on how fast each commit is.
    const decodedFor: (string | undefined)[] = [];
    const queue = decodeQueue();
    const run = queue.run.bind(queue);
    vi.spyOn(queue, "run").mockImplementation(async (task, requester) => {
      const response = await run(task, requester);
      decodedFor.push(requester?.caller);
      return response;
    });
    const fax20 = (by: string) => () =>
      call("POST", "incoming_files", {
        token: by,
        body: {
          group_name: "Fax",
          practice: basics.enabled,
          images: [{ base64_content: image, content_type: "image/png" }],
        },
      });
    const first = await waiting(Array.from({ length: 20 }, () => fax20(token)));
    const second = await waiting([fax20(colleague)]);
    go();
    await Promise.all([first.responses, second.responses]);
    const many = decodedFor[0];
    const late = decodedFor.findIndex((caller) => caller !== many);
    expect(decodedFor).toHaveLength(21);
    expect(late).toBeGreaterThan(0);
    expect(late).toBeLessThan(10);
  });

  test("waiting ends when the client disconnects", async () => {
    const lines = vi.spyOn(log, "info");
    const pages = async () => {};
    const server = createServer({ routes: { api: apiRoutes, staff: staffRoutes }, pages, trustProxy: false });
    const port = await listen(server, { port: 0, host: "127.0.0.1" });
    const { responses } = await waiting([() => upload()]);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const path = `/api/2.0/patients/${patient}/policies/${policy}/card-images`;
    const request = http.request({ port, path, method: "POST", headers, host: "127.0.0.1" });
    request.on("error", () => {}).end(JSON.stringify({ image: { base64_content: image } }));
    await until(() => decodeQueue().pending === 2);
    expect(lines).not.toHaveBeenCalled();
    request.destroy();
    await until(() => lines.mock.calls.length > 0);
    expect(lines.mock.calls[0]?.[0]).toMatchObject({ endpoint: "card_images.create", status: 499 });
    go();
    expect((await responses).map(({ status }) => status)).toEqual([201]);
    await new Promise((resolve) => server.close(resolve));
  });
});

test("killing a decoder fails only its own request, which can be retried", async () => {
  const before = await snapshot();
  const lines = vi.spyOn(log, "warn");
  const { responses } = await waiting([() => upload()]);
  for (const pid of decoderPids()) process.kill(pid, "SIGKILL");
  held = null;
  const [rejected] = await responses;
  expect([rejected?.status, rejected?.headers.get("retry-after")]).toEqual([503, "1"]);
  const line = expect.objectContaining({ request: rejected?.headers.get("x-request-id"), signal: "SIGKILL" });
  expect(lines).toHaveBeenCalledExactlyOnceWith(line, "the image decoder ended during a task");
  expect(await snapshot()).toEqual(before);
  expect((await upload()).status).toBe(201);
});

test("the decoder gets neither the database URL nor the key", async () => {
  const [pid] = decoderPids();
  go();
  const { execFileSync } = await import("node:child_process");
  const processes = execFileSync("ps", ["eww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  expect(processes).toContain("decoder.mjs");
  expect(processes).not.toMatch(/DATABASE_URL|SECRET_KEY|postgres/);
});
