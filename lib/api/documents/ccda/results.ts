import { rangeOf, shownValueOf } from "@/lib/api/documents/chart/rules";
import type { LabGrid, LabResult } from "@/lib/api/documents/chart/schema";
import type { Content, Subject, Xml } from "./schema";
import { absent, coded, consolidated, idOf, point, shownAt, uncoded } from "./values";

interface Battery {
  reportId: number;
  /** Of the grid in its report, from 1. */
  number: number;
  title: string;
  grid: LabGrid;
  at: string | null;
}

/** Results of tests, a battery for each grid of a report. */
export function resultsContent({ chart, making }: Subject): Content | null {
  const batteries = chart.records.reports.flatMap(({ id, data }): Battery[] =>
    (data.grids ?? []).map((grid, index) => ({
      reportId: id,
      number: index + 1,
      title: data.custom_title || data.report_type || "Report",
      grid,
      at: grid.collected_date ?? grid.resulted_date ?? data.reported_date ?? data.document_date ?? null,
    })),
  );
  const filled = batteries.filter(({ grid }) => grid.results?.length);
  if (filled.length === 0) return null;
  const root = making.roots.reports;
  return {
    tables: filled.map(tableOf),
    entries: filled.map((battery) => organizerOf(battery, root)),
    from: ["reports"],
  };
}

const rowIdOf = ({ reportId, number }: Battery, index: number) => `result-${reportId}-${number}-${index + 1}`;

function tableOf(battery: Battery) {
  const { grid, title, at } = battery;
  const rows = (grid.results ?? []).map((result, index) => ({
    id: rowIdOf(battery, index),
    cells: [
      ...[title, at?.slice(0, 10), result.test?.name, shownValueOf(result), rangeOf(result)],
      ...[result.is_abnormal ? result.abnormal_flag || "Abnormal" : "", result.status, result.note],
    ],
  }));
  return { columns: ["Report", "Date", "Test", "Value", "Reference range", "Flag", "Status", "Note"], rows };
}

const PENDING = new Set(["PENDING", "PARTIAL", "PRELIMINARY", "RESULTS ENTERED -- NOT VERIFIED"]);

function organizerOf(battery: Battery, root: string): Xml {
  const { reportId, number, grid, title, at } = battery;
  return {
    organizer: {
      "@classCode": "BATTERY",
      "@moodCode": "EVN",
      templateId: consolidated("4.1", "2015-08-01"),
      id: idOf(root, `${reportId}-${number}`),
      code: { ...absent("OTH"), originalText: title },
      statusCode: { "@code": grid.status && PENDING.has(grid.status) ? "active" : "completed" },
      effectiveTime: { low: point(at), high: point(at) },
      component: (grid.results ?? []).map((result, index) => ({
        observation: observationOf(result, { battery, root, index }),
      })),
    },
  };
}

function observationOf(
  result: LabResult,
  { battery, root, index }: { battery: Battery; root: string; index: number },
): Xml {
  const { reportId, number, at } = battery;
  const rowId = rowIdOf(battery, index);
  const range = rangeOf(result);
  return {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: consolidated("4.2", "2015-08-01"),
    id: idOf(root, `${reportId}-${number}-${index + 1}`),
    code: result.test?.loinc ? coded("LOINC", result.test.loinc, result.test.name) : uncoded(rowId),
    text: shownAt(rowId),
    statusCode: { "@code": result.status && PENDING.has(result.status) ? "active" : "completed" },
    effectiveTime: point(at),
    value: measuredOf(result),
    interpretationCode: interpretationOf(result),
    referenceRange: range ? { observationRange: { text: range, value: boundsOf(result) } } : undefined,
  };
}

/** A quantity where the value is a number with a unit that has no spaces, as UCUM's; else the text. */
function measuredOf({ value = "", units, text }: LabResult): Xml {
  if (isQuantity(value, units)) return { "@xsi:type": "PQ", "@value": value, "@unit": units };
  const shown = [value || text, units].filter(Boolean).join(" ");
  return shown ? { "@xsi:type": "ST", "#": shown } : { "@xsi:type": "ST", ...absent() };
}

const isQuantity = (value: string, units: string | null | undefined): units is string =>
  /^-?\d+(\.\d+)?$/.test(value) && Boolean(units && /^\S+$/.test(units));

/** The reference range as quantities where its ends are such; else in words. */
function boundsOf(result: LabResult): Xml {
  const { units, reference_min: low, reference_max: high } = result;
  const bound = (value: string | null | undefined) =>
    value && isQuantity(value, units) ? { "@value": value, "@unit": units } : undefined;
  const ends = { low: bound(low), high: bound(high) };
  const isWhole = Boolean(low) === Boolean(ends.low) && Boolean(high) === Boolean(ends.high);
  return isWhole ? { "@xsi:type": "IVL_PQ", ...ends } : { "@xsi:type": "ST", "#": rangeOf(result) };
}

/** HL7's interpretation of the flags that say which; of the others, that it is abnormal or not. */
const INTERPRETATIONS: Readonly<Record<string, string>> = {
  "Above high normal": "H",
  "Below low normal": "L",
  "Panic high": "HH",
  "Panic low": "LL",
  "Alert high": "HH",
  "Alert low": "LL",
  "Critical abnormal": "AA",
  Critical: "AA",
};

function interpretationOf({ abnormal_flag: flag, is_abnormal: isAbnormal }: LabResult): Xml | undefined {
  if (flag === undefined && isAbnormal === undefined) return undefined;
  const known = flag === undefined ? undefined : INTERPRETATIONS[flag];
  return coded("ObservationInterpretation", known ?? (isAbnormal ? "A" : "N"));
}
