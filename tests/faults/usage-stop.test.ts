// Counts of legacy use are collected in memory, and a normal stop loses none.
import { expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { seedBasics, seedPatient } from "@/tests/support/api";
import { startServer } from "@/tests/support/servers";

test("a server that stops right after its responses has counted each of them", async () => {
  const { enabled, physicians, token } = await seedBasics();
  const patient = await seedPatient(enabled, physicians.enabled);
  const server = await startServer("production");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const url = `${server.url}/api/2.0/patients/${patient}`;
  const write = { method: "PATCH", headers, body: JSON.stringify({ insurances: [] }) };
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, at) => fetch(url, at % 10 === 0 ? write : { headers }).then(({ status }) => status)),
  );
  await server.stop();
  expect(responses).toEqual(Array(40).fill(200));
  const rows = await db.rows(sql`SELECT endpoint, reads, writes FROM legacy_usage ORDER BY endpoint`);
  expect(rows).toEqual([
    { endpoint: "patients.get", reads: 36, writes: 0 },
    { endpoint: "patients.update", reads: 0, writes: 4 },
  ]);
  const [audited] = await db.rows(sql`SELECT count(*) AS entries FROM audit_log WHERE practice_id = ${enabled}`);
  expect(audited).toEqual({ entries: 40 });
});
