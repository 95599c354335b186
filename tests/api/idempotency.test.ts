// Idempotency-Key on POST: one record however often it is sent, and always the first response.
import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { removeExpiredKeys, withIdempotency } from "@/lib/access/endpoints/idempotency";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, type CallOptions, call, MARIA, seedBasics, seedPatient, tokenFor } from "@/tests/support/api";
import { pngImage } from "@/tests/support/images";
import { policiesOf } from "@/tests/support/stores";

let basics: Basics;
let token: string;
let patient: number;
let key: string;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});
beforeEach(async () => {
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  key = randomUUID();
});
afterEach(() => setClock());

const post = (body: unknown, options: CallOptions & { path?: string; key?: string } = {}) =>
  call("POST", `patients/${patient}/policies${options.path ?? ""}`, {
    token,
    ...options,
    body,
    headers: { "idempotency-key": options.key ?? key, ...options.headers },
  });
const BODY = { ...MARIA, rank: 1, member_id: "A1" };
const later = (ms: number) => {
  const at = Date.now() + ms;
  setClock({ now: () => new Date(at) });
};
const keyRows = () =>
  db.rows<{ state: string; status: number | null }>(sql`
  SELECT state, status FROM idempotency_key WHERE key = ${key}`);

describe("the same key and body", () => {
  test("returns the first response, marked as replayed, and creates one record", async () => {
    const first = await post(BODY, { headers: { "x-request-id": "first-request" } });
    const again = await post(BODY, { headers: { "x-request-id": "second-request" } });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    for (const name of ["location", "etag", "content-type", "cache-control"]) {
      expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
    }
    expect([first, again].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    expect(again.headers.get("x-request-id")).toBe("second-request");
    expect(await policiesOf(patient)).toHaveLength(1);
  });

  test("sent ten times at once creates one record; every response shows it or says that the request is in progress", async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => post(BODY)));
    const created = responses.filter(({ status }) => status === 201);
    const waiting = responses.filter(({ status }) => status === 409);
    expect(created.length + waiting.length).toBe(10);
    expect(created.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1);
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(1);
    expect(new Set(waiting.map(({ body }) => body.code))).toEqual(
      waiting.length ? new Set(["idempotency_in_flight"]) : new Set(),
    );
    expect(await policiesOf(patient)).toHaveLength(1);
    expect((await post(BODY)).body).toEqual(created[0]?.body);
  });

  test("are the same request if the path ends in a slash", async () => {
    const first = await post(BODY);
    const again = await post(BODY, { path: "/" });
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  test("are the same upload if two multipart forms differ only in their boundary", async () => {
    const { body: policy } = await post(BODY, { key: randomUUID() });
    const image = await pngImage(1);
    const form = (boundary: string, name = "card.png") => {
      const head = `--${boundary}\r\ncontent-disposition: form-data; name="image"; filename="${name}"\r\ncontent-type: image/png\r\n\r\n`;
      return Buffer.concat([Buffer.from(head), image, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    };
    const send = (boundary: string) =>
      post(form(boundary), {
        path: `/${policy.id}/card-images`,
        headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
      });
    const [first, again] = [await send("aaaaaaaa"), await send("bbbbbbbb")];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await policiesOf(patient))[0]?.card_images).toHaveLength(1);
  });

  test("also works for a POST without a body", async () => {
    const { body: policy } = await post(BODY, { key: randomUUID() });
    await call("DELETE", `patients/${patient}/policies/${policy.id}`, { token });
    const restore = () => post(undefined, { path: `/${policy.id}/restore` });
    const [first, again] = [await restore(), await restore()];
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    expect((await policiesOf(patient))[0]?.version).toBe(3);
  });

  test("is remembered for almost 24 hours, then is free again", async () => {
    const long = await tokenFor({
      organizationId: basics.organization,
      practices: [basics.enabled],
      lifetimeSeconds: 200_000,
    });
    const send = () => post({ ...BODY, rank: null }, { token: long });
    const first = await send();
    later(24 * 3_600_000 - 60_000);
    expect((await send()).body.id).toBe(first.body.id);
    later(24 * 3_600_000 + 1000);
    expect(await removeExpiredKeys()).toBeGreaterThan(0);
    expect(await keyRows()).toEqual([]);
    const fresh = await send();
    expect(fresh.status).toBe(201);
    expect(fresh.body.id).not.toBe(first.body.id);
  });
});

describe("the same key and another request", () => {
  test.each([
    ["body", () => post({ ...BODY, member_id: "A2" })],
    ["query", () => post(BODY, { path: "?dry_run=true" })],
    [
      "patient",
      async () => {
        patient = await seedPatient(basics.enabled, basics.physicians.enabled);
        return post(BODY);
      },
    ],
    ["endpoint", () => post([{ id: 1, rank: 1 }], { path: "/reorder" })],
  ])("is rejected with 422 and does nothing: another %s", async (_case, send) => {
    const first = await post(BODY);
    const { status, body } = await send();
    expect([status, body.code]).toEqual([422, "idempotency_key_reused"]);
    expect(await db.rows(sql`SELECT id FROM policy WHERE id > ${first.body.id}`)).toEqual([]);
    expect((await post(BODY, { path: "" })).status).toBe(patient === first.body.patient ? 201 : 422);
  });

  test("don't repeat a 412 to a client that has read the newer version and sends it as If-Match", async () => {
    const { body } = await post(BODY, { key: randomUUID() });
    await call("DELETE", `patients/${patient}/policies/${body.id}`, { token });
    const restore = (version: number) =>
      post({}, { path: `/${body.id}/restore`, headers: { "if-match": `"${version}"` } });
    expect((await restore(1)).body.code).toBe("version_conflict");
    expect(await restore(2)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  });

  test("are independent for another client and never show it the first client's response", async () => {
    const first = await post(BODY);
    const other = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
    const second = await post(BODY, { token: other });
    expect(second.status).toBe(201);
    expect(second.headers.get("idempotent-replayed")).toBeNull();
    expect(second.body.id).not.toBe(first.body.id);
    expect((await post(BODY, { token: basics.stranger })).status).toBe(404);
  });
});

describe("a first request that failed", () => {
  test("gets the same response again if the handler failed, even if the retry would succeed", async () => {
    const wrong = { ...BODY, patient_first_name: "Nobody" };
    const first = await post(wrong);
    const again = await post(wrong);
    expect([first.status, again.status]).toEqual([422, 422]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
  });

  test("leaves the key free if its body was unreadable", async () => {
    expect((await post({ ...BODY, rank: 7 })).status).toBe(400);
    expect(await keyRows()).toEqual([]);
    expect((await post(BODY)).status).toBe(201);
  });

  test("is not stored if permission was missing", async () => {
    const read = await tokenFor({
      organizationId: basics.organization,
      practices: [basics.enabled],
      scopes: ["system/patients.read"],
    });
    expect((await post(BODY, { token: read })).status).toBe(403);
    expect((await post(BODY, { token: undefined })).status).toBe(401);
    expect(await keyRows()).toEqual([]);
  });
});

describe("a process that died", () => {
  const put = (state: string, leasedUntil: Date) =>
    db.run(sql`UPDATE idempotency_key SET state = ${state}, leased_until = ${leasedUntil}, status = NULL, headers = NULL, body = NULL
      WHERE key = ${key}`);

  test("leaves a key whose retry gets 409 and writes nothing, if it died between commit and response", async () => {
    await post(BODY);
    await put("applied", new Date(Date.now() - 1));
    const { status, body } = await post(BODY);
    expect([status, body.code]).toEqual([409, "idempotency_answer_lost"]);
    expect(await policiesOf(patient)).toHaveLength(1);
  });

  test("leaves a request that counts as in progress while its lease lasts", async () => {
    await post(BODY);
    for (const state of ["applied", "in_flight"]) {
      await put(state, new Date(Date.now() + 30_000));
      const { status, body, headers } = await post(BODY);
      expect([status, body.code, headers.get("retry-after")]).toEqual([409, "idempotency_in_flight", "1"]);
    }
  });

  test("has not died while its request takes long: the lease is renewed", async () => {
    const leasedUntil = async () =>
      (await db.one<{ at: string }>(sql`SELECT leased_until AS at FROM idempotency_key WHERE key = ${key}`)).at;
    const client = await db.one<{ id: number }>(sql`SELECT id FROM oauth_client LIMIT 1`);
    const call = {
      clientId: client.id,
      key,
      path: "/slow",
      content: "slow",
      oneTimeResponse: false,
      requestId: "slow",
    };
    const { replayed } = await withIdempotency(call, async () => {
      const first = await leasedUntil();
      await expect.poll(async () => (await leasedUntil()) > first).toBe(true);
      return { response: { status: 200, headers: {}, body: "{}" }, patients: [], unnamed: [] };
    });
    expect(replayed).toBe(false);
  });

  test("leaves the work to a retry after the lease, if it had written nothing", async () => {
    await post(BODY, { key: randomUUID() });
    await post({ ...BODY, rank: 2 });
    await put("in_flight", new Date(Date.now() - 1));
    const { status, headers } = await post({ ...BODY, rank: 2 });
    expect([status, headers.get("idempotent-replayed")]).toEqual([201, null]);
  });
});

describe("the key", () => {
  test.each(["", " ", "a b", "ä", "x".repeat(256), "tab\there"])("400 for %.20j", async (wrong) => {
    const { status, body } = await post(BODY, { key: wrong });
    expect([status, body.code]).toEqual([400, "invalid_idempotency_key"]);
    expect(body.detail).toContain("Idempotency-Key");
    expect(await policiesOf(patient)).toEqual([]);
  });

  test("may have 255 characters", async () => {
    expect((await post(BODY, { key: randomUUID().padEnd(255, "k") })).status).toBe(201);
  });

  test("only applies to POST, because PUT and PATCH are safe to repeat", async () => {
    const { body: policy } = await post(BODY, { key: randomUUID() });
    const patch = (member_id: string) =>
      call("PATCH", `patients/${patient}/policies/${policy.id}`, {
        token,
        body: { member_id },
        headers: { "idempotency-key": key },
      });
    expect([(await patch("B1")).body.member_id, (await patch("B2")).body.member_id]).toEqual(["B1", "B2"]);
  });
});
