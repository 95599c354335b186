import type { TimelineEntry } from "@/lib/insurance/patient-page/queries";
import { describeEntry } from "./timeline-text";

/** The entries of one action: one request, or what the worker did at one moment. */
export type Action = [TimelineEntry, ...TimelineEntry[]];

export const entryKey = ({ type, id, version }: TimelineEntry) => `${type} ${id} ${version}`;

/** Groups consecutive entries by action. In each group, changes to policies come before those to the patient record. */
export function groupByAction(entries: readonly TimelineEntry[]): Action[] {
  const actions: Action[] = [];
  for (const entry of entries) {
    const last = actions.at(-1);
    if (last && isSameAction(last[0], entry)) last.push(entry);
    else actions.push([entry]);
  }
  for (const action of actions) action.sort((a, b) => Number(a.type === "patient") - Number(b.type === "patient"));
  return actions;
}

function isSameAction(a: TimelineEntry, b: TimelineEntry): boolean {
  if (a.request_id !== null || b.request_id !== null) return a.request_id === b.request_id;
  return a.occurred_date === b.occurred_date && a.actor === b.actor && a.source === b.source;
}

/** A line of an action. */
export interface ActionLine {
  entry: TimelineEntry;
  /** How many entries read the same, such as two card images that were added. */
  count: number;
}

/** Describes an action with one line for all entries that read the same. */
export function toLines(action: Action): ActionLine[] {
  const lines = new Map<string, ActionLine>();
  for (const entry of action) {
    const { subject, change } = describeEntry(entry);
    const key = JSON.stringify([entry.type, entry.policy?.id, subject, change]);
    const line = lines.get(key);
    if (line) line.count += 1;
    else lines.set(key, { entry, count: 1 });
  }
  return [...lines.values()];
}
