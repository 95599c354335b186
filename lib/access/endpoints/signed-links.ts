import { ANONYMOUS } from "@/lib/access/audit/events";
import { auditRefusal } from "@/lib/access/audit/security-commands";
import type { Origin } from "@/lib/access/identity/origin";
import type { LinkState } from "@/lib/platform/storage/signed-url";

/** Whether a signed link may be followed. A forged link is audited, and gets the same answer as a missing file. */
export async function verifyLink(state: LinkState, origin: Origin): Promise<boolean> {
  if (state === "forged") {
    const anonymous = { ...origin, actor: ANONYMOUS };
    await auditRefusal({ name: "link.rejected", origin: anonymous, practices: [], cause: "wrong_signature" });
  }
  return state === "valid";
}
