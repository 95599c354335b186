import type { EventListRow } from "@/lib/events/published/staff-queries";

/** The resources whose changes are published. */
export const RESOURCES = ["patients", "practices", "physicians", "insurance_companies", "insurance_plans"] as const;

/** The statuses that the list can be filtered by. */
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
  insurance_companies: "Payer",
  insurance_plans: "Plan",
};

/** Returns the record's name for staff, such as `Patient 12`. */
export function recordName({ resource, resource_id }: Pick<EventListRow, "resource" | "resource_id">): string {
  return `${SINGULAR[resource] ?? resource} ${resource_id}`;
}
