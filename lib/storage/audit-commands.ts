import { ANONYMOUS } from "@/lib/audit/events";
import { auditRefusal } from "@/lib/audit/security-commands";
import type { Origin } from "@/lib/history/origin";
import type { LinkState } from "./signed-url";

/** Whether a signed link may be followed. A forged one is audited; whoever sent it is told what an absent file is told. */
export async function admitLink(state: LinkState, origin: Origin): Promise<boolean> {
  if (state === "forged") {
    const anonymous = { ...origin, actor: ANONYMOUS };
    await auditRefusal({ name: "link.rejected", origin: anonymous, practices: [], cause: "wrong_signature" });
  }
  return state === "valid";
}
