import type { EventListRow } from "@/lib/events/staff-queries";

/** Records that events tell of. */
export const RESOURCES = ["patients", "practices", "physicians", "insurance_companies", "insurance_plans"] as const;

/** How events can stand, as the list is narrowed by it. */
export const STATUSES = ["failed", "undelivered", "rejected", "waiting", "pending", "processed", "canceled"] as const;
export const STATUS_WORDS = {
  failed: "undelivered or rejected",
  undelivered: "undelivered",
  rejected: "rejected by client",
  waiting: "waiting to be sent",
  pending: "not processed",
  processed: "processed",
  canceled: "canceled",
} satisfies Record<(typeof STATUSES)[number], string>;

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
