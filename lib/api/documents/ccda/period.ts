import { dayFormatter, medicationEndDate } from "@/lib/api/documents/chart/format";
import type { Chart, ChartRecords, Entry } from "@/lib/api/documents/chart/schema";
import type { Period } from "./schema";

type Moment = string | null | undefined;
/** The beginning and the end of a record. A record with a single date has it twice. */
type Ends = readonly [from: Moment, until: Moment];

/**
 * Limits a chart to the records that overlap a period, by the days of the practice's time zone. Records without a date stay,
 * because they may belong to it.
 */
export function limitToPeriod(chart: Chart, period: Period): Chart {
  if (period.start === undefined && period.end === undefined) return chart;
  const toDay = dayFormatter(chart.practice.timezone);
  const isWithin = ([from, until]: Ends) => overlaps(period, [toDay(from), toDay(until)]);
  const within = <T>(entries: Entry<T>[], ends: (entry: Entry<T>) => Ends) =>
    entries.filter((entry) => isWithin(ends(entry)));
  return {
    ...chart,
    policies: chart.policies.filter((policy) => isWithin([policy.start_date, policy.end_date])),
    records: filterRecords(chart, within),
  };
}

type EntryFilter = <T>(entries: Entry<T>[], ends: (entry: Entry<T>) => Ends) => Entry<T>[];

function filterRecords({ records }: Chart, within: EntryFilter): ChartRecords {
  const once = (moment: Moment): Ends => [moment, moment];
  return {
    ...records,
    allergies: within(records.allergies, ({ data }) => [data.start_date, null]),
    drugIntolerances: within(records.drugIntolerances, ({ data }) => [data.start_date, null]),
    immunizations: within(records.immunizations, ({ data }) => once(data.administered_date)),
    labOrders: within(records.labOrders, ({ data }) => once(data.document_date)),
    medications: within(records.medications, (entry) => [entry.data.start_date, medicationEndDate(records, entry)]),
    problems: within(records.problems, ({ data }) => [data.start_date, data.resolved_date]),
    reports: within(records.reports, ({ data }) => once(data.reported_date ?? data.document_date)),
    visitNotes: within(records.visitNotes, ({ data }) => once(data.document_date)),
    vitals: within(records.vitals, ({ data, createdDate }) =>
      once(data.chart_date ?? data.document_date ?? createdDate),
    ),
  };
}

function overlaps({ start, end }: Period, [from, until]: Ends): boolean {
  if (!from && !until) return true;
  return (end === undefined || !from || from <= end) && (start === undefined || !until || until >= start);
}
