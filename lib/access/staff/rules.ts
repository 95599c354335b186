import type { StaffRole } from "./schema";

/** Whether a role may take data away as files where nothing else is said. Admins always may (ADR 0113). */
export function exportsByDefault(role: StaffRole): boolean {
  return role !== "viewer";
}
