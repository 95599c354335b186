import { sealAudit } from "@/lib/access/audit/seal-commands";
import { sql } from "@/lib/platform/db/sql";
import { owner } from "./owner";

/** Seals all committed audit entries in blocks of up to `atOnce` entries. */
export async function sealAll(atOnce = 1_000): Promise<void> {
  while (((await sealAudit(0, atOnce)).sealed ?? 0) > 0);
}

/** Does work while the database rejects every audit entry, as it does without space on its disk. */
export async function withFullAudit<T>(work: () => Promise<T>): Promise<T> {
  await owner.run(sql`CREATE FUNCTION reject_entries() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE 'no space' USING ERRCODE = '53100'; END $$`);
  await owner.run(sql`CREATE TRIGGER reject_entries BEFORE INSERT ON audit_pending EXECUTE FUNCTION reject_entries()`);
  return work().finally(() => owner.run(sql`DROP FUNCTION reject_entries CASCADE`));
}
