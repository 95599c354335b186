import type { StaffRole } from "@/generated/rows/enums";

// Pages load this module in the browser, so it must not import Zod.

/** The roles of staff. The server checks them for every page and call. */
export const STAFF_ROLES = ["admin", "staff", "viewer"] as const satisfies readonly StaffRole[];
export type { StaffRole };

/** Returns whether a role includes another one. `admin` includes `staff`, which includes `viewer`. */
export function includesRole(role: StaffRole, needed: StaffRole): boolean {
  return STAFF_ROLES.indexOf(role) <= STAFF_ROLES.indexOf(needed);
}

/** Returns whether a role may export data as files by default. Admins always may (ADR 0113). */
export function exportsByDefault(role: StaffRole): boolean {
  return role !== "viewer";
}

/** Prefix of the response if a password matches accounts of several organizations. A JSON list of their IDs and names follows. */
export const CHOOSE_ORGANIZATION = "organizations:";
