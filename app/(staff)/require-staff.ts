import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import { auditLook, auditRead, auditReadOfPractice } from "@/lib/access/audit/commands";
import { ANONYMOUS } from "@/lib/access/audit/events";
import type { AuditQuery } from "@/lib/access/audit/schema";
import { idOf } from "@/lib/access/endpoints/endpoint";
import type { Actor, Origin } from "@/lib/access/identity/origin";
import { auditSessionlessCall, findStaffAccess, narrowTo, type StaffAccess } from "@/lib/access/staff/access";
import { auditDeniedStaff } from "@/lib/access/staff/audit-commands";
import { includesRole, type StaffRole } from "@/lib/access/staff/schema";
import { addressOf } from "@/lib/platform/http/client-address";

/** Returns the signed-in user's access, or redirects to the sign-in page. Cached for the request. */
export const requireSession = cache(async (): Promise<StaffAccess> => {
  const sent = await headers();
  const access = await findStaffAccess(sent.get("cookie"), "person");
  if (!access) {
    await auditSessionlessCall(sent.get("cookie"), await originOf(ANONYMOUS, "staff.page"));
    redirect(`/sign-in?to=${encodeURIComponent(sent.get("x-path") ?? "/")}`);
  }
  return access;
});

/**
 * Returns the signed-in user's access to the practice in a page's path. Responds with 404 if it is not one of the user's
 * practices, or if the user's role is too low, so that a page's existence stays private.
 */
export async function requireStaff(
  params: Promise<{ practice: string }>,
  role: StaffRole = "viewer",
): Promise<StaffAccess> {
  const [access, { practice }] = [await requireSession(), await params];
  const id = idOf(practice);
  const own = id === null ? null : narrowTo(access, id);
  if (own && includesRole(own.role, role)) return own;
  const denied = own ? { cause: "role" as const, needed: role } : { cause: "other_practice" as const };
  await auditDeniedStaff(own ?? access, denied, await originOf(access.actor, "staff.page"));
  notFound();
}

/** Audits a page that shows data of these patients, before it is rendered. */
export async function auditPage(access: StaffAccess, operation: string, patients: readonly number[]): Promise<void> {
  await auditRead(await originOf(access.actor, operation), patients, access.practices);
}

/** Audits a page that shows the audit log, with its filters. */
export async function auditLookPage(access: StaffAccess, operation: string, query: AuditQuery): Promise<void> {
  await auditLook(await originOf(access.actor, operation), access.practices[0] as number, query);
}

/** Audits a page that shows a legacy export, whose patients may not exist in the practice yet. */
export async function auditExportPage(
  access: StaffAccess,
  operation: string,
  patients: readonly number[],
): Promise<void> {
  await auditReadOfPractice(await originOf(access.actor, operation), access.practices[0] as number, patients);
}

async function originOf(actor: Actor, operation: string): Promise<Origin> {
  const sent = await headers();
  const path = sent.get("x-path")?.split("?")[0] ?? null;
  const address = addressOf((name) => sent.get(name)) || null;
  return { actor, source: "staff", reason: null, requestId: sent.get("x-request-id"), operation, path, address };
}
