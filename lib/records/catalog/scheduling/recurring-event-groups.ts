import { z } from "zod";
import { type FieldErrors, ValidationError } from "@/lib/platform/errors";
import { day, list, minutes, reference, text, time, timeOfDay } from "@/lib/records/engine/field-types";
import { spanKey } from "@/lib/records/engine/rules";
import {
  type Change,
  createdDate,
  type Data,
  defineResource,
  deletedDate,
  type Effect,
  practiceColumn,
  readOnly,
  required,
  type Write,
} from "@/lib/records/engine/schema";
import { timeSlotType } from "@/lib/records/rules/nested-schemas";
import {
  countOccurrences,
  lastDay,
  listOccurrences,
  MOST_OCCURRENCES,
  MOST_OF_A_GROUP,
  type Schedule as Recurrence,
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
type Schedule = z.output<typeof recurringEventSchedule>;

const schedulesOf = ({ schedules }: Data) => schedules as Schedule[];
const ENDLESS = "9999-12-31";
const seriesOf = (schedule: Schedule) => spanKey(schedule.series_start, lastDay(schedule as Recurrence) ?? ENDLESS);

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
    physician: { schema: reference, value: (data) => schedulesOf(data).map(({ physician }) => physician) },
    schedule: { schema: reference, value: (data) => schedulesOf(data).map(({ id }) => id) },
    // From the first day to the last in one key: days that are asked for together are those of one and the same schedule.
    series: { schema: day, value: (data) => schedulesOf(data).map(seriesOf) },
  },
  nestedReferences: { schedules: { physician: "physicians" } },
  beforeWrite: nameSchedules,
  effects: enterInCalendar,
});

/** @throws ValidationError where a series ends before it begins, or takes place too often to be entered */
async function nameSchedules({ data, now, nextId }: Write): Promise<Data> {
  const counts = schedulesOf(data).map((schedule) => countOccurrences(schedule as Recurrence));
  const problems = schedulesOf(data).map(({ series_start, series_stop }, index): FieldErrors => {
    if (series_stop && series_stop < series_start) return { series_stop: ["Must not be before series_start."] };
    const isTooOften = (counts[index] as number) > MOST_OCCURRENCES;
    return isTooOften ? { series_stop: [`Takes place more than ${MOST_OCCURRENCES} times.`] } : {};
  });
  if (problems.some((problem) => Object.keys(problem).length > 0)) throw new ValidationError({ schedules: problems });
  if (counts.reduce((sum, count) => sum + count) > MOST_OF_A_GROUP) {
    const problem = `Take place more than ${MOST_OF_A_GROUP} times together: enter them as several groups.`;
    throw new ValidationError({ schedules: [problem] });
  }
  const schedules: Schedule[] = [];
  for (const schedule of schedulesOf(data)) schedules.push({ ...schedule, id: await nextId(), created_date: now });
  return { ...data, schedules, is_blocking: data.time_slot_type === "event" };
}

/** With the group go its times that nobody booked. */
async function enterInCalendar({ kind, record, read, hold }: Change): Promise<Effect[]> {
  const schedules = schedulesOf(record.data);
  if (kind === "deleted") {
    const ids = schedules.flatMap(({ id }) => id ?? []);
    const entered = await hold.recordsWhere("appointments", "recurring_event_schedule", ids);
    const free = entered.filter(({ patient_id }) => patient_id === null);
    return free.map(({ id }) => ({ kind: "delete", resource: appointments, id }));
  }
  const timezone = await read.timezone(record.practice_id as number);
  return schedules.flatMap((schedule, index) =>
    listOccurrences(schedule as Recurrence, timezone).map((scheduled_date): Effect => {
      const { description = null, duration, physician, id: recurring_event_schedule } = schedule;
      const data = {
        ...{ practice: record.practice_id, patient: null, physician, scheduled_date, duration, description },
        ...{ recurring_event_schedule, time_slot_type: record.data.time_slot_type },
      };
      return { kind: "create", resource: appointments, data, at: ["schedules", index] };
    }),
  );
}
