// Security events: each is an entry in the chain it belongs to, and no number of rejections fills or slows the audit
// (ADR 0110).
import { beforeEach, describe, expect, test, vi } from "vitest";
import { verifyAudit } from "@/lib/access/audit/chain-queries";
import { ANONYMOUS, type SecurityDetail, type SecurityEvent } from "@/lib/access/audit/events";
import {
  auditRejection,
  auditSecurity,
  auditSecurityIn,
  flushSecurityEvents,
} from "@/lib/access/audit/security-commands";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { log } from "@/lib/platform/log";
import { signedFileUrl, signedImageUrl } from "@/lib/platform/storage/signed-url";
import { type ApiResponse, type Basics, call, seedBasics } from "@/tests/support/api";
import { sealAll, withFullAudit } from "@/tests/support/audit";
import { asOwner } from "@/tests/support/owner";
import { runScript } from "@/tests/support/run-script";
import { INSTALLATION, securityEventsOf } from "@/tests/support/security-events";

let basics: Basics;
beforeEach(async () => {
  basics = await seedBasics();
  await flushSecurityEvents();
});

const origin = (address: string): SecurityEvent["origin"] => ({
  actor: ANONYMOUS,
  source: "staff",
  reason: null,
  requestId: null,
  operation: "staff.sign_in",
  path: "/api/auth",
  address,
});
const failed = (practices: number[], address = "192.0.2.1"): SecurityEvent => ({
  name: "sign_in.failed",
  origin: origin(address),
  practices,
  about: { type: "staff", id: 7, name: "Robin" },
  cause: "wrong_password",
});

const entriesOf = (practice: number) =>
  db.rows<{ kind: string; operation: string; address: string | null; detail: SecurityDetail }>(sql`
    SELECT kind, operation, address, detail FROM audit_log WHERE practice_id = ${practice} ORDER BY id`);
const countAll = async () => (await db.first<{ n: number }>(sql`SELECT count(*) AS n FROM audit_log`))?.n ?? 0;

describe("a security event", () => {
  test("is an entry in the chain of each of its practices, and of no other", async () => {
    await auditSecurity({ ...failed([basics.enabled, basics.disabled]), name: "sign_in.succeeded" });
    for (const practice of [basics.enabled, basics.disabled]) {
      const about = { type: "staff", id: 7, name: "Robin" };
      const entry = { kind: "security", operation: "sign_in.succeeded", address: "192.0.2.1" };
      expect(await entriesOf(practice)).toEqual([{ ...entry, detail: { about, cause: "wrong_password" } }]);
    }
    expect(await entriesOf(basics.foreign)).toEqual([]);
  });

  test("is in the installation's chain if it belongs to no practice; verification names and checks that chain", async () => {
    await auditSecurity({ ...failed([]), name: "token.refused" });
    await sealAll();
    const { heads, broken } = await verifyAudit();
    expect(broken).toEqual([]);
    expect(heads.map(({ practice }) => practice)).toContain(0);
    const { code, stdout } = await runScript("audit-verify.ts", []);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/✓ installation: \d+ entr/)]);
  });

  test("breaks its chain if its detail was changed or removed by bypassing the triggers", async () => {
    for (const value of [sql`'{"cause":"other"}'`, sql`NULL`]) {
      await auditSecurity(failed([basics.enabled]));
      await sealAll();
      await asOwner(async (tx) => {
        await tx.run(sql`SET LOCAL session_replication_role = replica`);
        await tx.run(sql`ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_detail`);
        await tx.run(sql`UPDATE audit_entry SET detail = ${value} WHERE practice_id = ${basics.enabled}`);
      });
      expect((await verifyAudit([], basics.enabled)).broken).toMatchObject([
        { seq: 1, problem: expect.stringContaining("content") },
      ]);
      await asOwner(async (tx) => {
        await tx.run(sql`SET LOCAL session_replication_role = replica`);
        await tx.run(sql`DELETE FROM audit_entry WHERE practice_id = ${basics.enabled}`);
        await tx.run(sql`DELETE FROM audit_block WHERE practice_id = ${basics.enabled}`);
        await tx.run(
          sql`ALTER TABLE audit_entry ADD CONSTRAINT audit_entry_detail CHECK ((kind = 'security') = (detail IS NOT NULL))`,
        );
      });
    }
  });

  test("is rolled back with the change that it reports", async () => {
    const before = await countAll();
    const lines = vi.spyOn(log, "warn");
    const work = transaction(async (tx) => {
      await auditSecurityIn(tx, [failed([basics.enabled])]);
      throw new Error("no");
    });
    await expect(work).rejects.toThrow("no");
    expect(await countAll()).toBe(before);
    expect(lines).not.toHaveBeenCalled();
    await transaction((tx) => auditSecurityIn(tx, [failed([basics.enabled])]));
    expect(lines).toHaveBeenCalledOnce();
    lines.mockRestore();
  });
});

test("each event is one log line with its address and without names", async () => {
  const lines = vi.spyOn(log, "warn");
  for (let at = 0; at < 3; at++) await auditRejection(failed([basics.enabled], "192.0.2.50"));
  const logged = lines.mock.calls.filter(([, message]) => message === "security event");
  lines.mockRestore();
  expect(logged).toHaveLength(3);
  expect(logged[0]?.[0]).toMatchObject({ event: "sign_in.failed", about: "staff-7", address: "192.0.2.50" });
  expect(JSON.stringify(logged)).not.toContain("Robin");
});

test("a forged link is a security event and gets the same response as a missing image; an expired link is not an event", async () => {
  const key = "00000000-0000-4000-8000-000000000000";
  const base = new URL("http://localhost:3000");
  const absent = signedImageUrl(key, base).url;
  const forged = absent.replace(/signature=.{5}/, "signature=abcde");
  const file = signedFileUrl(1, base).url.replace(/signature=.{5}/, "signature=abcde");
  setClock({ now: () => new Date(Date.now() - 86_400_000) });
  const dead = signedImageUrl(key, base).url;
  setClock();
  const responses: unknown[] = [];
  const openLink = async (url: string) => responses.push(await call("GET", url));
  expect(await securityEventsOf(INSTALLATION, () => openLink(absent))).toEqual([]);
  expect(await securityEventsOf(INSTALLATION, () => openLink(dead))).toEqual([]);
  const rejected = { operation: "link.rejected", actor_type: "anonymous", detail: { cause: "wrong_signature" } };
  const [event, ...others] = await securityEventsOf(INSTALLATION, () => openLink(forged));
  expect([event, others]).toEqual([expect.objectContaining({ ...rejected, path: `/api/2.0/card_images/${key}` }), []]);
  for (const response of responses)
    expect(response).toMatchObject({ status: 404, body: (responses[0] as ApiResponse).body });
  expect(await securityEventsOf(INSTALLATION, () => openLink(file))).toMatchObject([rejected]);
  expect(responses.at(-1)).toMatchObject({ status: 404 });
});

describe("rejections", () => {
  test("create two entries for each kind, even in large numbers: the first immediately, the rest with their count", async () => {
    for (let at = 0; at < 5_000; at++) await auditRejection(failed([basics.enabled]));
    expect(await entriesOf(basics.enabled)).toHaveLength(1);
    await flushSecurityEvents();
    const [first, rest, ...none] = await entriesOf(basics.enabled);
    expect([first?.detail.count, rest?.detail.count, none]).toEqual([undefined, 4_999, []]);
    expect(rest?.detail).toMatchObject({ first_date: expect.any(String), last_date: expect.any(String) });
  });

  test("create a bounded number of entries if they come from thousands of addresses, and each one is counted", async () => {
    const before = await countAll();
    const tries = 3_000;
    for (let at = 0; at < tries; at++) {
      const practice = at % 2 === 0 ? basics.enabled : basics.foreign;
      await auditRejection(failed([practice], `192.0.2.${at}`));
    }
    await flushSecurityEvents();
    expect((await countAll()) - before).toBeLessThanOrEqual(410);
    const logged = [...(await entriesOf(basics.enabled)), ...(await entriesOf(basics.foreign))];
    expect(logged.reduce((sum, { detail }) => sum + (detail.count ?? 1), 0)).toBe(tries);
  });

  test("start over with an immediate entry after the window", async () => {
    await auditRejection(failed([basics.enabled]));
    await flushSecurityEvents();
    await auditRejection(failed([basics.enabled]));
    expect(await entriesOf(basics.enabled)).toHaveLength(2);
  });

  test("are stored later with their count if the first entry or the rest can't be stored", async () => {
    const reject = async (times: number) => {
      for (let at = 0; at < times; at++) await auditRejection(failed([basics.enabled]));
    };
    const counts = async () => (await entriesOf(basics.enabled)).map(({ detail }) => detail.count);
    const began = new Date().toISOString();
    const lines = vi.spyOn(log, "warn");
    await withFullAudit(async () => {
      await reject(3);
      await flushSecurityEvents();
    });
    expect(await counts()).toEqual([]);
    const failures = lines.mock.calls.filter(([, message]) => String(message).includes("could not store"));
    lines.mockRestore();
    expect(failures).toHaveLength(2);
    const recovered = new Date().toISOString();
    await reject(2);
    await flushSecurityEvents();
    const [entry, ...none] = await entriesOf(basics.enabled);
    expect([entry?.detail.count, none]).toEqual([5, []]);
    const { first_date = "", last_date = "" } = entry?.detail ?? {};
    expect([began <= first_date, first_date < recovered, last_date >= recovered]).toEqual([true, true, true]);
    await reject(4);
    await withFullAudit(flushSecurityEvents);
    await flushSecurityEvents();
    await flushSecurityEvents();
    expect(await counts()).toEqual([5, undefined, 3]);
  });

  test("create a bounded number of entries if they come from thousands of addresses while none can be stored", async () => {
    const before = await countAll();
    const reject = async (block: string) => {
      for (let at = 0; at < 250; at++) await auditRejection(failed([basics.enabled], `${block}.${at}`));
    };
    for (const block of ["192.0.2", "198.51.100", "203.0.113"])
      await withFullAudit(async () => {
        await reject(block);
        await flushSecurityEvents();
      });
    await flushSecurityEvents();
    expect((await countAll()) - before).toBeLessThanOrEqual(210);
    const logged = await entriesOf(basics.enabled);
    expect(logged.reduce((sum, { detail }) => sum + (detail.count ?? 1), 0)).toBe(750);
  });
});
