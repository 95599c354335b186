import { z } from "zod";
import { type FieldErrors, ValidationError } from "@/lib/errors";
import { MOST_OCCURRENCES, occurrencesOf } from "../recurrence-rules";
import {
  type Change,
  createdDate,
  type Data,
  defineResource,
  deletedDate,
  type Effect,
  ofPractice,
  readOnly,
  required,
  type Write,
} from "../schema";
import { timeSlotType } from "../shapes";
import { day, list, reference, text, time, timeOfDay, whole } from "../values";
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
  duration: whole(1, 1_440),
  event_time: timeOfDay,
  id: reference.readonly().optional(),
  physician: reference,
  repeats: z.enum(["Monthly", "Weekly"]).optional(),
  series_start: day,
  series_stop: day.nullable().optional(),
});
type Schedule = z.output<typeof recurringEventSchedule>;

const schedulesOf = ({ schedules }: Data) => schedules as Schedule[];
const ENDLESS = "9999-12-31";

/** An entry of a physician's calendar that comes again. Each time it takes place is an appointment without a patient. */
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
    practice: ofPractice,
    reason: readOnly(text().nullable(), null),
    schedules: required(list(recurringEventSchedule).min(1).max(20)),
    time_slot_type: required(timeSlotType),
  },
  filters: [
    ["end_date", "series_start__lte"],
    "physician",
    "practice",
    "reason",
    ["start_date", "series_stop__gte"],
    "time_slot_type",
  ],
  keys: {
    physician: { schema: reference, of: (data) => schedulesOf(data).map(({ physician }) => physician) },
    schedule: { schema: reference, of: (data) => schedulesOf(data).map(({ id }) => id) },
    series_start: { schema: day, of: (data) => schedulesOf(data).map(({ series_start }) => series_start) },
    series_stop: { schema: day, of: (data) => schedulesOf(data).map(({ series_stop }) => series_stop ?? ENDLESS) },
  },
  prepare: nameSchedules,
  effects: enterInCalendar,
});

/** @throws ValidationError where a series ends before it begins, or takes place too often to be entered */
async function nameSchedules({ data, now, nextId }: Write): Promise<Data> {
  const problems = schedulesOf(data).map(({ series_start, series_stop, ...schedule }): FieldErrors => {
    if (series_stop && series_stop < series_start) return { series_stop: ["Must not be before series_start."] };
    const times = occurrencesOf({ ...schedule, series_start, series_stop } as Schedule, null);
    return times.length > MOST_OCCURRENCES ? { series_stop: [`Takes place more than ${MOST_OCCURRENCES} times.`] } : {};
  });
  if (problems.some((problem) => Object.keys(problem).length > 0)) throw new ValidationError({ schedules: problems });
  const schedules: Schedule[] = [];
  for (const schedule of schedulesOf(data)) schedules.push({ ...schedule, id: await nextId(), created_date: now });
  return { ...data, schedules, is_blocking: data.time_slot_type === "event" };
}

/** With the group go its times that nobody booked. */
async function enterInCalendar({ kind, record, read }: Change): Promise<Effect[]> {
  const schedules = schedulesOf(record.data);
  if (kind === "deleted") {
    const ids = schedules.flatMap(({ id }) => id ?? []);
    const entered = await read.recordsWhere("appointments", "recurring_event_schedule", ids);
    const free = entered.filter(({ patient_id }) => patient_id === null);
    return free.map(({ id }) => ({ kind: "delete", resource: appointments, id }));
  }
  const timezone = await read.timezoneOf(record.practice_id as number);
  return schedules.flatMap((schedule, index) =>
    occurrencesOf(schedule as Schedule, timezone).map((scheduled_date): Effect => {
      const { description = null, duration, physician, id: recurring_event_schedule } = schedule;
      const data = {
        ...{ practice: record.practice_id, patient: null, physician, scheduled_date, duration, description },
        ...{ recurring_event_schedule, time_slot_type: record.data.time_slot_type },
      };
      return { kind: "create", resource: appointments, data, at: ["schedules", index] };
    }),
  );
}
