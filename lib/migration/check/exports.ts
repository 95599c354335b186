import type { Access } from "@/lib/access/identity/access";
import { describeCode } from "@/lib/migration/findings/checks";
import { findCurrentRun, listUnready, type UnreadyRecord } from "@/lib/migration/readiness/queries";
import { toCsv } from "@/lib/platform/csv";
import { BusinessRuleError } from "@/lib/platform/errors";
import { countFindings, type FindingFilter, type FindingView, getRunView, listFindingsAfter } from "./review-queries";

interface Download {
  filename: string;
  contentType: string;
  content: string;
}

const MAX_ROWS = 200_000;
const PAGE_SIZE = 5_000;

/**
 * Exports the findings of a run that match a filter, as CSV or NDJSON.
 *
 * @throws NotFoundError
 * @throws BusinessRuleError too_many_rows
 */
export async function exportFindings(
  access: Access,
  runId: number,
  { format, ...filter }: FindingFilter & { format: "csv" | "ndjson" },
): Promise<Download> {
  await getRunView(access, runId);
  requireExportable(await countFindings(runId, filter));
  const rows: FindingView[] = [];
  const lines: string[] = [];
  for (;;) {
    const part = await listFindingsAfter(runId, filter, { after: rows.at(-1)?.id ?? 0, limit: PAGE_SIZE });
    rows.push(...part);
    // Write in parts, so that other requests run in between.
    if (format === "ndjson") lines.push(...part.map((row) => `${JSON.stringify(toLine(row))}\n`));
    if (part.length < PAGE_SIZE) break;
  }
  const name = `migration-run-${runId}-findings`;
  if (format === "ndjson") {
    return { filename: `${name}.ndjson`, contentType: "application/x-ndjson; charset=utf-8", content: lines.join("") };
  }
  return { filename: `${name}.csv`, contentType: "text/csv; charset=utf-8", content: await toCsv(rows, COLUMNS) };
}

function requireExportable(count: number): void {
  if (count <= MAX_ROWS) return;
  throw new BusinessRuleError(
    "too_many_rows",
    `${count} findings match, but an export can have at most ${MAX_ROWS}. Narrow the filter.`,
  );
}

/** The columns of a finding: those of `npx crosswalk check --json`, then the decision. */
const LINE = [
  ...(["patient", "insurance", "code", "severity", "line", "field", "found", "message", "fix"] as const),
  ...(["decision", "reason", "decided_by", "decided_date", "owner_id", "due_date", "note"] as const),
];

const toLine = (finding: FindingView) => Object.fromEntries(LINE.map((name) => [name, finding[name]]));

const textOf = (value: unknown) => (value === null || typeof value === "string" ? value : JSON.stringify(value));

const COLUMNS: [string, (row: FindingView) => unknown][] = [
  ["Line", ({ line }) => line],
  ["Patient", ({ patient }) => patient],
  ["Name", ({ name }) => name],
  ["Insurance", ({ insurance }) => insurance],
  ["Code", ({ code }) => code],
  ["Severity", ({ severity }) => severity],
  ["Message", ({ message }) => message],
  ["Field", ({ field }) => field],
  ["Found", ({ found }) => textOf(found)],
  ["Proposed", ({ fix }) => (fix && !fix.corrected ? JSON.stringify(fix.values) : null)],
  ["Corrected", ({ fix }) => (fix?.corrected ? JSON.stringify(fix.values) : null)],
  ["Decision", ({ decision, fix }) => (decision === "accepted" && fix?.corrected ? "corrected" : decision)],
  ["Decided by", ({ decided_by }) => decided_by?.name],
  ["Decided", ({ decided_date }) => decided_date],
  ["Reason", ({ reason }) => reason],
  ["Owner", ({ owner_id }) => owner_id],
  ["Due", ({ due_date }) => due_date],
  ["Note", ({ note }) => note],
];

/** Exports every unfinished record of a practice's current run with its reason and owner, as CSV. */
export async function exportUnready(access: Access, practiceId: number): Promise<Download> {
  const run = await findCurrentRun(practiceId);
  const rows = run ? await listUnready(access, run.id, { limit: MAX_ROWS }) : [];
  const content = await toCsv(rows, UNREADY);
  return { filename: "migration-not-ready.csv", contentType: "text/csv; charset=utf-8", content };
}

const UNREADY: [string, (row: UnreadyRecord) => unknown][] = [
  ["Line", ({ line }) => line],
  ["Patient", ({ patient }) => patient],
  ["Name", ({ name }) => name],
  ["Needs", ({ part }) => part],
  ["Why", ({ codes }) => codes.map((code) => describeCode(code).title).join("; ")],
  ["Reason", ({ reason }) => reason],
  ["Owner", ({ owner }) => owner],
  ["Due", ({ due_date }) => due_date],
];
