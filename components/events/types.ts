/** Events as the staff's calls answer them. */
export interface EventRow {
  id: number;
  event_id: number;
  event_type: "saved" | "deleted";
  resource: string;
  resource_id: number;
  target: string;
  client_name: string;
  created_date: string;
  status: "pending" | "processed" | "failed" | "canceled";
  sending: boolean;
  attempts: number;
  next_attempt_date: string | null;
  due: boolean;
  processed_date: string | null;
  status_code: number | null;
  error_content: string | null;
  reported: boolean;
  paused: boolean;
  retriable: boolean;
}

export interface Attempt {
  number: number;
  started_date: string;
  duration_ms: number | null;
  status_code: number | null;
  error: string | null;
}

export interface EventDetail extends EventRow {
  event_uuid: string;
  version: number;
  give_up_date: string;
  subscription_id: number;
  tries: Attempt[];
}

/** Where a practice's events go. */
export interface Subscription {
  id: number;
  client_name: string;
  resource: string;
  target: string;
  failing_since: string | null;
  paused_date: string | null;
  open: number;
  failed: number;
}

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
export function recordName({ resource, resource_id }: Pick<EventRow, "resource" | "resource_id">): string {
  return `${SINGULAR[resource] ?? resource} ${resource_id}`;
}

/** `1 event`, `1,200 events`. */
export function countOf(count: number, noun: string): string {
  return `${new Intl.NumberFormat("en-US").format(count)} ${noun}${count === 1 ? "" : "s"}`;
}
