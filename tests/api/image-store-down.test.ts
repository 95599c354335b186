// If the object store is unreachable, requests get a retryable 503, and nothing is partially written.
import { beforeAll, expect, test } from "vitest";
import { sweepOrphans } from "@/lib/insurance/images/sweep-orphans";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { db, sql } from "@/lib/platform/db/sql";
import { signedImageUrl } from "@/lib/platform/storage/signed-url";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "@/tests/support/api";
import { imageContent } from "@/tests/support/images";
import { COMPANIES, legacyCard, legacyPatient, writeLines } from "@/tests/support/legacy-export";
import { snapshot } from "@/tests/support/snapshot";
import { createCheckedRun, requestFor } from "../support/migration-runs";

const KEY = "0b9c2a52-7f58-4f0b-9d57-3d2c1a7e5b11";

Object.assign(process.env, {
  IMAGE_STORE: "s3",
  S3_ENDPOINT: "http://127.0.0.1:1",
  S3_BUCKET: "cards",
  S3_ACCESS_KEY_ID: "key-id",
  S3_SECRET_ACCESS_KEY: "key-secret",
  S3_FORCE_PATH_STYLE: "true",
});

let basics: Basics;
let token: string;
let patient: number;
let policy: number;
beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  policy = (await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } })).body.id;
});

test("an upload gets a 503 with Retry-After and stores nothing; its Idempotency-Key stays usable", async () => {
  const card = await seedPatient(basics.disabled, basics.physicians.disabled);
  const before = await snapshot();
  const image = await imageContent(1);
  for (const [path, body] of [
    [`patients/${patient}/policies/${policy}/card-images`, { image }],
    [`patients/${card}/insurance_cards`, { rank: 1, side: 1, image }],
  ] as const) {
    const keyed = { "idempotency-key": "upload-1" };
    for (const headers of [undefined, keyed, keyed]) {
      const response = await call("POST", path, { token, body, ...(headers && { headers }) });
      expect([response.status, response.body.code]).toEqual([503, "image_store_unavailable"]);
      expect(response.headers.get("retry-after")).toBe("5");
      expect(response.headers.get("idempotent-replayed")).toBeNull();
      expect(JSON.stringify(response.body)).not.toMatch(/127\.0\.0\.1|key-id|key-secret|cards/);
    }
  }
  expect(await snapshot()).toEqual(before);
});

test("reading gets a 503", async () => {
  await db.run(sql`
    INSERT INTO legacy_card (patient_id, rank, side, image_key, sha256, content_type, bytes, width, height, created_date)
    VALUES (${patient}, 3, 1, ${KEY}::uuid, 'x', 'image/png', 1, 1, 1, now())`);
  const { status, body } = await call("GET", signedImageUrl(KEY, new URL("http://localhost:3000")).url);
  expect([status, body.code]).toEqual([503, "image_store_unavailable"]);
});

test("reads and writes without images still work", async () => {
  const path = `patients/${patient}/policies/${policy}`;
  expect((await call("PATCH", path, { token, body: { member_id: "A2" } })).status).toBe(200);
  expect((await call("GET", path, { token })).body.member_id).toBe("A2");
  expect((await call("DELETE", path, { token })).status).toBe(204);
  expect((await call("DELETE", `${path}?permanent=true`, { token })).status).toBe(204);
});

test("a conversion stops at the first image without rejecting its record, and resumes there", async () => {
  const file = writeLines("down.ndjson", [
    legacyPatient(1),
    legacyPatient(2, { insurance_cards: [await legacyCard(1)] }),
  ]);
  const companies = writeLines("down.companies.ndjson", COMPANIES);
  const runId = await createCheckedRun(basics.enabled, file, { companies });
  await startConversion(requestFor(basics.enabled), runId);
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(workRun(runId)).rejects.toMatchObject({ reason: "image_store_unavailable" });
    const [left] = await db.rows(sql`
      SELECT state, done, (SELECT count(*) FROM patient WHERE external_id IS NOT NULL) AS patients
      FROM migration_run WHERE id = ${runId}`);
    expect(left).toEqual({ state: "converting", done: 0, patients: 0 });
  }
});

test("a sweep fails as a whole and can be repeated", async () => {
  await expect(sweepOrphans()).rejects.toMatchObject({ reason: "image_store_unavailable" });
});
