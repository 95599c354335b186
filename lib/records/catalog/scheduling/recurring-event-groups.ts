import { z } from "zod";
import { type FieldErrors, ValidationError } from "@/lib/platform/errors";
import {
  createdDate,
  day,
  deletedDate,
  list,
  minutes,
  practiceColumn,
  readOnly,
  reference,
  required,
  text,
  time,
  timeOfDay,
} from "@/lib/records/engine/fields";
import { spanKey } from "@/lib/records/engine/rules";
import { creates, defineResource, deletes } from "@/lib/records/engine/schema";
import { timeSlotType } from "@/lib/records/rules/nested-schemas";
import {
  countOccurrences,
  lastDay,
  listOccurrences,
  MAX_GROUP_OCCURRENCES,
  MAX_OCCURRENCES,
  type Schedule,
} from "@/lib/records/rules/recurrence";
import { appointments } from "./appointments";

const recurringEventSchedule = z.object({
  created_date: time.nullable().readonly().optional(),
  description: text().optional(),
  dow_friday: z.boolean().optional(),
  dow_monday: z.boolean().optional(),
  dow_saturday: z.boolean().optional(),
  dow_sunday: z.boolean().optional(),
  dow_thursday: z.boolean().optional(),
  dow_tuesday: z.boolean().optional(),
  dow_wednesday: z.boolean().optional(),
  duration: minutes,
  event_time: timeOfDay,
  id: reference.readonly().optional(),
  physician: reference,
  repeats: z.enum(["Monthly", "Weekly"]).optional(),
  series_start: day,
  series_stop: day.nullable().optional(),
});

const ENDLESS = "9999-12-31";

/** Recurring entries in physicians' calendars. Each occurrence is an appointment without a patient. */
export const recurringEventGroups = defineResource({
  name: "recurring_event_groups",
  title: "RecurringEventGroup",
  noun: "recurring event group",
  owner: "practice",
  operations: ["list", "create", "get", "delete"],
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    is_blocking: readOnly(z.boolean(), false),
    practice: practiceColumn,
    reason: readOnly(text().nullable(), null),
    schedules: required(list(recurringEventSchedule).min(1).max(20)),
    time_slot_type: required(timeSlotType),
  },
  filters: [
    ["end_date", "series__begins_lte"],
    "physician",
    "practice",
    "reason",
    ["start_date", "series__ends_gte"],
    "time_slot_type",
  ],
  keys: {
    physician: { schema: reference, value: ({ schedules }) => schedules.map(({ physician }) => physician) },
    schedule: { schema: reference, value: ({ schedules }) => schedules.map(({ id }) => id) },
    // First and last day are one key, so that both bounds of a list match the same schedule.
    series: {
      schema: day,
      value: ({ schedules }) => schedules.map((one) => spanKey(one.series_start, lastDay(one) ?? ENDLESS)),
    },
  },
  nestedReferences: { schedules: { physician: "physicians" } },
  beforeWrite: ({ data }) => {
    requireEnterable(data.schedules);
    return { ...data, is_blocking: data.time_slot_type === "event" };
  },
  // Deleting a group deletes its unbooked occurrences.
  effects: async ({ kind, record, reader, lockingReader }) => {
    const { schedules, time_slot_type } = record.data;
    if (kind === "deleted") {
      const ids = schedules.flatMap(({ id }) => id ?? []);
      const entered = await lockingReader.recordsWhere(appointments, "recurring_event_schedule", ids);
      return entered.flatMap(({ id, patient_id }) => (patient_id === null ? [deletes(appointments, id)] : []));
    }
    const timezone = await reader.timezone(record.practice_id);
    return schedules.flatMap((schedule, index) =>
      listOccurrences(schedule, timezone).map((scheduled_date) => {
        const appointment = {
          practice: record.practice_id,
          patient: null,
          physician: schedule.physician,
          scheduled_date,
          duration: schedule.duration,
          description: schedule.description ?? null,
          recurring_event_schedule: schedule.id,
          time_slot_type,
        };
        return creates(appointments, appointment, ["schedules", index]);
      }),
    );
  },
});

/** @throws ValidationError if a series ends before it starts, or occurs too often to be entered */
function requireEnterable(schedules: readonly Schedule[]): void {
  let total = 0;
  const problems = schedules.map((schedule): FieldErrors => {
    const { series_start, series_stop } = schedule;
    const count = countOccurrences(schedule);
    total += count;
    if (series_stop && series_stop < series_start) return { series_stop: ["Must not be before series_start."] };
    return count > MAX_OCCURRENCES ? { series_stop: [`Occurs more than ${MAX_OCCURRENCES} times.`] } : {};
  });
  if (problems.some((problem) => Object.keys(problem).length > 0)) throw new ValidationError({ schedules: problems });
  if (total > MAX_GROUP_OCCURRENCES) {
    const problem = `Occur more than ${MAX_GROUP_OCCURRENCES} times in total. Split them into several groups.`;
    throw new ValidationError({ schedules: [problem] });
  }
}
