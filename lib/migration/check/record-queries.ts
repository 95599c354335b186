import type { Verdict } from "@/generated/rows/enums";
import type { Access } from "@/lib/access/identity/access";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import { listInsurances } from "@/lib/insurance/patients/store";
import { readStaged } from "@/lib/migration/check/check-record";
import { findCompanies } from "@/lib/migration/check/check-run";
import {
  countLike,
  type FindingView,
  findRecordDifferences,
  getRunView,
  listFindingsOfRecord,
  type RunView,
} from "@/lib/migration/check/review-queries";
import { type CorrectionInput, correctionInputs } from "@/lib/migration/findings/corrections";
import type { Difference } from "@/lib/migration/plan/compare-stores";
import type { InsurancePlan } from "@/lib/migration/plan/plan-patient";
import { type CompanyDirectory, targetFields } from "@/lib/migration/record/mapping";
import { idOf, type RawRecord, recordsOf, textOf } from "@/lib/migration/record/raw-record";
import type { LegacyInsurance } from "@/lib/migration/record/schema";
import { getRun } from "@/lib/migration/runs/queries";
import { isDecidable } from "@/lib/migration/runs/run-states";
import type { RecordState } from "@/lib/migration/runs/schema";
import { listStagedByNumber } from "@/lib/migration/runs/staged-records";
import { db } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";

/** A field in the export and in the policy. */
export interface ProposedField {
  field: string;
  legacy: unknown;
  /** The value with the accepted fix, if any. */
  fixed?: unknown;
  /** Null if the record is refused or the field is empty. */
  proposed: unknown;
}

/** An insurance of a record, next to the policy that it would become. */
export interface ProposedInsurance {
  list: "insurances" | "deleted_insurances";
  position: number;
  id: string | null;
  verdict: Verdict;
  /** A past insurance that staff skipped. */
  left_out: boolean;
  /** Fields that would change, if the practice has the policy already. */
  changes: string[];
  /** Values that the conversion sets although the export lacks them. */
  notes: string[];
  fields: ProposedField[];
}

/** A record of a run with everything its page shows. */
export interface RecordPage {
  run: RunView;
  record: {
    number: number;
    line: number;
    external_id: string | null;
    name: string | null;
    dob: string | null;
    verdict: Verdict | null;
    state: RecordState;
    patient_id: number | null;
  };
  insurances: ProposedInsurance[];
  /** Policies that are missing from the record and would be archived. */
  gone: InsurancePlan[];
  cards: { rank: unknown; sides: unknown[]; problem: string | null }[];
  findings: RecordFinding[];
  differences: Difference[];
}

/** A finding of a record, and what staff can enter to correct it. */
export interface RecordFinding extends FindingView {
  inputs: CorrectionInput[];
  /** The number of open findings of the run with the same code, field and value. 0 if staff can't correct it. */
  like: number;
}

/**
 * Returns a record as it was read, next to what the conversion would write.
 *
 * @throws NotFoundError if the caller has no such run, or the run has no such record
 */
export async function getRecordPage(access: Access, runId: number, number: number): Promise<RecordPage> {
  const run = await getRunView(access, runId);
  const [row] = await listStagedByNumber(db, runId, [number]);
  if (!row) throw new NotFoundError("record");
  const findings = await listFindingsOfRecord(runId, number);
  const { companies: listed } = await getRun(access, runId);
  const companies = await findCompanies({ practice_id: run.practice_id, companies: listed });
  const read = readStaged(row, findings, { asOf: run.as_of, now: new Date() });
  const patient = "patient" in read ? read.patient : null;
  const past = "patient" in read ? read.past : null;
  const raw = row.raw ?? {};
  const stored = row.plan?.patient ? await listInsurances(db, [row.plan.patient]) : [];
  const insurances = (["insurances", "deleted_insurances"] as const).flatMap((list) =>
    recordsOf(raw[list]).map((entry, position): ProposedInsurance => {
      // Skipped past insurances have no position among the converted ones.
      const place = list === "insurances" || !past ? position : past.indexOf(position);
      const plan = row.plan?.insurances.find((one) => one.list === list && one.position === place);
      const fixed = read.effective ? recordsOf(read.effective[list])[position] : undefined;
      const target = patient && (patient[list][place] ?? null);
      const before = (list === "insurances" && stored.find(({ id }) => id === plan?.row)) || null;
      return {
        list,
        position,
        id: textOf(idOf(entry)) || null,
        verdict: plan?.verdict ?? "refused",
        left_out: place === -1,
        changes: plan?.changes ?? [],
        notes: plan?.notes ?? [],
        fields: fieldsOf({ entry, fixed: fixed ?? entry, target, before }, companies.byExternalId),
      };
    }),
  );
  const { external_id, verdict, state, patient_id, line } = row;
  const { effective } = read;
  const shown = findings.map((finding) => ({
    ...finding,
    inputs: effective && run.source === "file" ? correctionInputs(finding, effective) : [],
  }));
  const correctable = shown.filter(({ decision, inputs }) => decision === "open" && inputs.length > 0);
  const like = await countLike(runId, isDecidable(row.state) ? correctable.map(({ id }) => id) : []);
  const name = [raw.last_name, raw.first_name].map(textOf).filter(Boolean).join(", ") || null;
  return {
    run,
    record: { number, line, external_id, name, dob: textOf(raw.dob) || null, verdict, state, patient_id },
    insurances,
    gone: row.plan?.insurances.filter(({ list }) => list === "here") ?? [],
    cards: recordsOf(raw.insurance_cards).map((card) => {
      const images = recordsOf(card.images);
      const problem = images.map((image) => image.problem).find((one): one is string => typeof one === "string");
      return { rank: card.rank, sides: images.map(({ side }) => side), problem: problem ?? null };
    }),
    findings: shown.map((finding) => ({ ...finding, like: like.get(finding.id) ?? 0 })),
    differences: await findRecordDifferences(runId, number),
  };
}

/** Keeps the export's notation of a time, unless the instant differs. */
function timesOf(target: LegacyInsurance, fixed: RawRecord) {
  const same = (field: "created_date" | "deleted_date") =>
    Date.parse(textOf(fixed[field])) === Date.parse(target[field] ?? "") ? fixed[field] : target[field];
  return { created_date: same("created_date"), deleted_date: same("deleted_date") };
}

const SHOWN = ["rank", ...INSURANCE_FIELDS, "created_date", "deleted_date"];

/** An insurance in the export, with its accepted fixes, as the conversion reads it, and in the practice. */
interface Reading {
  entry: RawRecord;
  fixed: RawRecord;
  target: LegacyInsurance | null;
  before: InsuranceRow | null;
}

function fieldsOf({ entry, fixed, target, before }: Reading, companies: CompanyDirectory): ProposedField[] {
  const proposed = target && targetFields(target, companies, before);
  // If the conversion will create the payer, show its ID in the export.
  const named = target && !before ? companies.findNamed(target.carrier)?.externalId : null;
  const policy: Record<string, unknown> | null = target && {
    ...proposed,
    rank: target.rank,
    ...timesOf(target, fixed),
    insurance_company: target.insurance_company ?? named ?? proposed?.insurance_company,
  };
  return SHOWN.flatMap((field): ProposedField[] => {
    const [legacy, corrected, proposed] = [entry[field] ?? null, fixed[field] ?? null, policy?.[field] ?? null];
    if (legacy === null && corrected === null && proposed === null) return [];
    return [{ field, legacy, ...(corrected === legacy ? {} : { fixed: corrected }), proposed }];
  });
}
