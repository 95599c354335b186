import { ANONYMOUS } from "@/lib/access/audit/events";
import { auditRejection } from "@/lib/access/audit/security-commands";
import type { Origin } from "@/lib/access/identity/access";
import type { LinkState } from "@/lib/platform/storage/signed-url";

/** Returns whether a signed link is valid. Forged links are audited. */
export async function verifyLink(state: LinkState, origin: Origin): Promise<boolean> {
  if (state === "forged") {
    const anonymous = { ...origin, actor: ANONYMOUS };
    await auditRejection({ name: "link.rejected", origin: anonymous, practices: [], cause: "wrong_signature" });
  }
  return state === "valid";
}
