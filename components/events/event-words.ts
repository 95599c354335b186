import type { EventListRow } from "@/lib/events/staff-queries";

/** Records that events tell of. */
export const RESOURCES = ["patients", "practices", "physicians", "insurance_companies", "insurance_plans"] as const;

const SINGULAR: Record<string, string> = {
  patients: "Patient",
  practices: "Practice",
  physicians: "Physician",
  insurance_companies: "Company",
  insurance_plans: "Plan",
};

/** `Patient 12`. */
export function recordName({ resource, resource_id }: Pick<EventListRow, "resource" | "resource_id">): string {
  return `${SINGULAR[resource] ?? resource} ${resource_id}`;
}
