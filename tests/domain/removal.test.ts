// Permanent deletion reaches the replication events, stored responses and the object store, even if replication is behind.

import { beforeAll, expect, test } from "vitest";
import { deleteQueuedImages } from "@/lib/insurance/images/deletion-queue";
import { deliverPatient } from "@/lib/insurance/replication/deliver";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { expectStoresAgree } from "../support/stores";

// Nothing is delivered until the test delivers it.
process.env.STREAM_CONSUMER = "worker";
process.env.STREAM_WAIT_MS = "0";

let basics: Basics;
let token: string;
beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});

test("a policy deleted while its events are pending leaves nothing behind", async () => {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const path = `patients/${patient}/policies`;
  const create = () =>
    call("POST", path, {
      token,
      body: { ...MARIA, rank: 1, member_id: "SECRET-1" },
      headers: { "idempotency-key": "create-1" },
    });
  const { id } = (await create()).body;
  const image = (await call("POST", `${path}/${id}/card-images`, { token, body: { image: await imageContent(1) } }))
    .body;
  await call("DELETE", `${path}/${id}`, { token });
  expect((await call("DELETE", `${path}/${id}?permanent=true`, { token })).status).toBe(204);
  await deliverPatient(patient);
  await deleteQueuedImages();
  expect((await call("GET", image.url)).status).toBe(404);
  const events = await db.rows(
    sql`SELECT id FROM replication_event WHERE patient_id = ${patient} AND changes::text LIKE '%SECRET%'`,
  );
  expect(events).toEqual([]);
  const again = await create();
  expect([again.status, again.body.code, again.headers.get("idempotent-replayed")]).toEqual([410, "gone", "true"]);
  expect(JSON.stringify(again.body)).not.toContain("SECRET");
  await expectStoresAgree(patient);
});

test("a client that lost access to a practice does not get stored responses", async () => {
  const patient = await seedPatient(basics.disabled, basics.physicians.disabled);
  const headers = { "idempotency-key": "create-2" };
  const body = { ...MARIA, rank: 1, member_id: "SECRET-2" };
  const post = () => call("POST", `patients/${patient}/policies`, { token, body, headers });
  expect((await post()).status).toBe(201);
  await db.run(sql`DELETE FROM oauth_client_practice WHERE practice_id = ${basics.disabled}`);
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  const after = await post();
  expect(after.status).toBe(422);
  expect(JSON.stringify(after.body)).not.toContain("SECRET");
});
