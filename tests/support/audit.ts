import { sealAudit } from "@/lib/access/audit/seal-commands";

/** Seals all committed audit entries in blocks of up to `atOnce` entries. */
export async function sealAll(atOnce = 1_000): Promise<void> {
  while (((await sealAudit(0, atOnce)).sealed ?? 0) > 0);
}
