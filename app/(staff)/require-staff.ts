import { headers } from "next/headers";
import { forbidden, notFound, redirect } from "next/navigation";
import { cache } from "react";
import { auditRead, auditReadOfPractice, auditSearch } from "@/lib/access/audit/commands";
import { ANONYMOUS } from "@/lib/access/audit/events";
import type { AuditQuery } from "@/lib/access/audit/schema";
import { parseId } from "@/lib/access/endpoints/endpoint";
import type { Actor, Origin } from "@/lib/access/identity/access";
import { auditSessionlessCall, findStaffAccess, narrowTo, type StaffAccess } from "@/lib/access/staff/access";
import { auditDeniedStaff } from "@/lib/access/staff/audit-commands";
import { includesRole, type StaffRole } from "@/lib/access/staff/roles";
import { clientAddress } from "@/lib/platform/http/request";

/** Returns the signed-in user's access, or redirects to the sign-in page. Cached for the request. */
export const requireSession = cache(async (): Promise<StaffAccess> => {
  const sent = await headers();
  const access = await findStaffAccess(sent.get("cookie"), "person");
  if (!access) {
    await auditSessionlessCall(sent.get("cookie"), await pageOrigin(ANONYMOUS, "staff.page"));
    redirect(`/sign-in?to=${encodeURIComponent(sent.get("x-path") ?? "/")}`);
  }
  return access;
});

/** What a page of a practice needs to know: the user's access to the practice, and its ID. */
export interface StaffPage {
  access: StaffAccess;
  practice: number;
}

/**
 * Returns the signed-in user's access to the practice in a page's path. Responds with 404 if it is not one of the user's
 * practices, and with 403 if the user's role is too low, like the call behind the page.
 */
export async function requireStaff(
  params: Promise<{ practice: string }>,
  role: StaffRole = "viewer",
): Promise<StaffPage> {
  const [access, sent] = [await requireSession(), await params];
  const practice = parseId(sent.practice);
  const inPractice = practice === null ? null : narrowTo(access, practice);
  if (practice !== null && inPractice && includesRole(inPractice.role, role)) return { access: inPractice, practice };
  const denied = inPractice ? { cause: "role" as const, needed: role } : { cause: "other_practice" as const };
  await auditDeniedStaff(inPractice ?? access, denied, await pageOrigin(access.actor, "staff.page"));
  if (inPractice) forbidden();
  notFound();
}

/** Audits a page that shows data of these patients, before it is rendered. */
export async function auditPage(access: StaffAccess, operation: string, patients: readonly number[]): Promise<void> {
  await auditRead(await pageOrigin(access.actor, operation), patients);
}

/** Audits a page that shows the audit log, with its filters. */
export async function auditLogPage(page: StaffPage, operation: string, query: AuditQuery): Promise<void> {
  await auditSearch(await pageOrigin(page.access.actor, operation), page.practice, query);
}

/** Audits a page that shows a legacy export, whose patients may not exist in the practice yet. */
export async function auditExportPage(page: StaffPage, operation: string, patients: readonly number[]): Promise<void> {
  await auditReadOfPractice(await pageOrigin(page.access.actor, operation), page.practice, patients);
}

async function pageOrigin(actor: Actor, operation: string): Promise<Origin> {
  const sent = await headers();
  const path = sent.get("x-path")?.split("?")[0] ?? null;
  const address = clientAddress((name) => sent.get(name)) || null;
  return { actor, source: "staff", reason: null, requestId: sent.get("x-request-id"), operation, path, address };
}
