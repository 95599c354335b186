import { ANONYMOUS } from "@/lib/audit/events";
import { auditRefusal } from "@/lib/audit/security-commands";
import type { Origin } from "@/lib/history/origin";
import type { LinkState } from "./signed-url";

/** Whether a signed link may be followed. A forged link is audited, and gets the same answer as a missing file. */
export async function admitLink(state: LinkState, origin: Origin): Promise<boolean> {
  if (state === "forged") {
    const anonymous = { ...origin, actor: ANONYMOUS };
    await auditRefusal({ name: "link.rejected", origin: anonymous, practices: [], cause: "wrong_signature" });
  }
  return state === "valid";
}
