import { formatReferenceRange, formatResultValue } from "@/lib/api/documents/chart/format";
import type { LabGrid, LabResult } from "@/lib/api/documents/chart/schema";
import type { CcdaInput, SectionContent, Xml } from "./schema";
import { ccdaTemplateId, coded, instanceId, narrativeLink, nullFlavor, timePoint, uncoded } from "./xml";

interface Battery {
  reportId: number;
  /** The position of the grid in its report, from 1. */
  number: number;
  title: string;
  grid: LabGrid;
  at: string | null;
}

/** Returns test results, one battery for each grid of a report. */
export function resultsContent({ chart, context }: CcdaInput): SectionContent | null {
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
  const root = context.roots.reports;
  return {
    tables: filled.map(resultTable),
    entries: filled.map((battery) => resultOrganizer(battery, root)),
    from: ["reports"],
  };
}

const resultRowId = ({ reportId, number }: Battery, index: number) => `result-${reportId}-${number}-${index + 1}`;

function resultTable(battery: Battery) {
  const { grid, title, at } = battery;
  const rows = (grid.results ?? []).map((result, index) => ({
    id: resultRowId(battery, index),
    cells: [
      title,
      at?.slice(0, 10),
      result.test?.name,
      formatResultValue(result),
      formatReferenceRange(result),
      result.is_abnormal ? result.abnormal_flag || "Abnormal" : "",
      result.status,
      result.note,
    ],
  }));
  return { columns: ["Report", "Date", "Test", "Value", "Reference range", "Flag", "Status", "Note"], rows };
}

const PENDING = new Set(["PENDING", "PARTIAL", "PRELIMINARY", "RESULTS ENTERED -- NOT VERIFIED"]);

function resultOrganizer(battery: Battery, root: string): Xml {
  const { reportId, number, grid, title, at } = battery;
  return {
    organizer: {
      "@classCode": "BATTERY",
      "@moodCode": "EVN",
      templateId: ccdaTemplateId("4.1", "2015-08-01"),
      id: instanceId(root, `${reportId}-${number}`),
      code: { ...nullFlavor("OTH"), originalText: title },
      statusCode: { "@code": grid.status && PENDING.has(grid.status) ? "active" : "completed" },
      effectiveTime: { low: timePoint(at), high: timePoint(at) },
      component: (grid.results ?? []).map((result, index) => ({
        observation: resultObservation(result, { battery, root, index }),
      })),
    },
  };
}

function resultObservation(
  result: LabResult,
  { battery, root, index }: { battery: Battery; root: string; index: number },
): Xml {
  const { reportId, number, at } = battery;
  const rowId = resultRowId(battery, index);
  const range = formatReferenceRange(result);
  return {
    "@classCode": "OBS",
    "@moodCode": "EVN",
    templateId: ccdaTemplateId("4.2", "2015-08-01"),
    id: instanceId(root, `${reportId}-${number}-${index + 1}`),
    code: result.test?.loinc ? coded("LOINC", result.test.loinc, result.test.name) : uncoded(rowId),
    text: narrativeLink(rowId),
    statusCode: { "@code": result.status && PENDING.has(result.status) ? "active" : "completed" },
    effectiveTime: timePoint(at),
    value: resultValue(result),
    interpretationCode: interpretation(result),
    referenceRange: range ? { observationRange: { text: range, value: rangeBounds(result) } } : undefined,
  };
}

/** Returns a quantity if the value is a number and its unit has no spaces, like those of UCUM. Otherwise a string. */
function resultValue({ value = "", units, text }: LabResult): Xml {
  if (isQuantity(value, units)) return { "@xsi:type": "PQ", "@value": value, "@unit": units };
  const shown = [value || text, units].filter(Boolean).join(" ");
  return shown ? { "@xsi:type": "ST", "#": shown } : { "@xsi:type": "ST", ...nullFlavor() };
}

const isQuantity = (value: string, units: string | null | undefined): units is string =>
  /^-?\d+(\.\d+)?$/.test(value) && Boolean(units && /^\S+$/.test(units));

/** Returns the reference range as quantities if its bounds are quantities, otherwise as text. */
function rangeBounds(result: LabResult): Xml {
  const { units, reference_min: low, reference_max: high } = result;
  const bound = (value: string | null | undefined) =>
    value && isQuantity(value, units) ? { "@value": value, "@unit": units } : undefined;
  const ends = { low: bound(low), high: bound(high) };
  const isWhole = Boolean(low) === Boolean(ends.low) && Boolean(high) === Boolean(ends.high);
  return isWhole ? { "@xsi:type": "IVL_PQ", ...ends } : { "@xsi:type": "ST", "#": formatReferenceRange(result) };
}

/** HL7 codes of flags that have a specific one. Others only say whether the result is abnormal. */
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

function interpretation({ abnormal_flag: flag, is_abnormal: isAbnormal }: LabResult): Xml | undefined {
  if (flag === undefined && isAbnormal === undefined) return undefined;
  const known = flag === undefined ? undefined : INTERPRETATIONS[flag];
  return coded("ObservationInterpretation", known ?? (isAbnormal ? "A" : "N"));
}
