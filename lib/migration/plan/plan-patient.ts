import type { Verdict } from "@/generated/rows/enums";
import { INSURANCE_FIELDS, insuranceProblems, sameName } from "@/lib/insurance/fields/fields";
import { RANKS, type Rank, toRank } from "@/lib/insurance/fields/limits";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import type { Fix, InsuranceList, RunCheckCode } from "@/lib/migration/findings/checks";
import { dayWords, fieldSubject, fieldWords } from "@/lib/migration/findings/field-words";
import { type CompanyDirectory, linkedCompany, namesCompany, targetFields } from "@/lib/migration/record/mapping";
import type { LegacyInsurance, StagedPatient } from "@/lib/migration/record/schema";
import type { Row } from "@/lib/platform/db/rows";

/** A patient of the practice with the export's id. */
export interface KnownPatient
  extends Row<"patient", "id" | "version" | "first_name" | "last_name" | "dob" | "deleted_date"> {
  insurances: readonly InsuranceRow[];
  /** Places with a card image: `rank side`. */
  cards: ReadonlySet<string>;
  /** The source of the last change to each policy. */
  lastSources: ReadonlyMap<number, string>;
}

/** The practice's data that a plan depends on. */
export interface PlanContext {
  known: KnownPatient | null;
  companies: CompanyDirectory;
  /** IDs of insurances that the practice has with other patients. */
  elsewhere: ReadonlySet<number>;
  /** IDs of past insurances that staff skipped. The conversion leaves them unchanged. */
  leftOut: ReadonlySet<number>;
  /** IDs of insurances missing from the export that staff confirmed as ended. */
  ended: ReadonlySet<number>;
}

/** The plan for one insurance. */
export interface InsurancePlan {
  /** The list in the record; `here` if only the practice has it. */
  list: "insurances" | "deleted_insurances" | "here";
  position: number;
  /** Id in the export. */
  id: number;
  rank: Rank;
  verdict: Exclude<Verdict, "refused">;
  /** The practice's legacy insurance, if any. */
  row: number | null;
  /** Fields that would change; `card_images` among them. */
  changes: string[];
  /** Values that the conversion sets or omits, for staff to know. */
  notes?: string[];
}

/** The plan for a patient. */
export interface PatientPlan {
  verdict: Exclude<Verdict, "refused">;
  /** The practice's patient, if any. */
  patient: number | null;
  /** The version of the patient when the plan was made. */
  version: number | null;
  insurances: InsurancePlan[];
}

/** Why a record can't be converted, as a run's finding. */
export interface PlanProblem {
  code: RunCheckCode;
  list: InsuranceList | null;
  /** Position in that list. */
  position: number | null;
  insurance: number | null;
  message: string;
  fix?: Fix;
}

/** A plan, or why there is none. */
export type Planned = { plan: PatientPlan } | { problems: PlanProblem[] };

/**
 * Plans the conversion of a record and each of its insurances. The check reports this plan and the conversion carries
 * it out (invariant 5).
 */
export function planPatient(
  patient: StagedPatient,
  context: PlanContext,
): { plan: PatientPlan } | { problems: PlanProblem[] } {
  const problems = ownershipProblems(patient, context);
  const { known } = context;
  if (known) problems.push(...identityProblems(patient, known));
  if (problems.length > 0) return { problems };
  return known ? planKnown(patient, known, context) : { plan: planNew(patient, context) };
}

function planNew(patient: StagedPatient, { companies }: PlanContext): PatientPlan {
  const current = patient.insurances.map((entry, position) =>
    planned(entry, "insurances", position, "create", { notes: notesOn(entry, "insurances", companies) }),
  );
  const past = patient.deleted_insurances.map((entry, position) =>
    planned(entry, "deleted_insurances", position, "archive", {
      notes: notesOn(entry, "deleted_insurances", companies),
    }),
  );
  return { verdict: "create", patient: null, version: null, insurances: [...current, ...past] };
}

function planned(
  entry: Pick<LegacyInsurance, "id" | "rank">,
  list: InsurancePlan["list"],
  position: number,
  verdict: InsurancePlan["verdict"],
  rest: { row?: number; changes?: string[]; notes?: string[] } = {},
): InsurancePlan {
  const { row = null, changes = [], notes = [] } = rest;
  const plan = { list, position, id: entry.id, rank: toRank(entry.rank), verdict, row, changes };
  return notes.length > 0 ? { ...plan, notes } : plan;
}

/** Lists values that the conversion sets although the export lacks them, or omits although the export has them. */
function notesOn(entry: LegacyInsurance, list: InsuranceList, companies: CompanyDirectory): string[] {
  const linked = linkedCompany(entry, companies);
  const hasEnd = list === "insurances" || entry.deleted_date || entry.end_date;
  return [
    ...(linked ? [`insurance_company: set to ${linked.carrier}, the payer that the carrier names.`] : []),
    ...(hasEnd ? [] : ["end_date: unknown in the export. The policy is archived on the day of the conversion."]),
  ];
}

function planKnown(
  patient: StagedPatient,
  known: KnownPatient,
  context: PlanContext,
): { plan: PatientPlan } | { problems: PlanProblem[] } {
  const problems: PlanProblem[] = [];
  const rows = new Map(known.insurances.flatMap((row) => (row.external_id === null ? [] : [[row.external_id, row]])));
  const refuse = (
    code: RunCheckCode,
    entry: { id: number },
    at: { list: InsuranceList; position: number } | null,
    message: string,
  ) => problems.push({ code, list: null, position: null, ...at, insurance: entry.id, message });
  const untouched = ({ policy_id }: InsuranceRow) => known.lastSources.get(policy_id) === "migration";

  const kept = findKept(patient, known, context.leftOut);
  const shown = cardsAfter(known, ranksAfter(patient, kept, rows));
  const current = patient.insurances.map((entry, position) => {
    const row = rows.get(entry.id);
    const cards = hasNewCards(patient, shown, toRank(entry.rank)) ? ["card_images"] : [];
    const at = { list: "insurances", position } as const;
    const notes = notesOn(entry, "insurances", context.companies);
    if (!row) return planned(entry, "insurances", position, "create", { changes: cards, notes });
    if (row.deleted_date !== null) {
      refuse("ended_here", entry, at, `Insurance ${entry.id} is archived in Crosswalk but current in the export.`);
    }
    const changes = [...changedFields(entry, row, context), ...cards];
    if (changes.length > cards.length && !untouched(row)) {
      refuse(
        "changed_here",
        entry,
        at,
        `${fieldSubject(changes)} ${changes.length > 1 ? "were" : "was"} changed in Crosswalk and ${changes.length > 1 ? "differ" : "differs"} from the export.`,
      );
    }
    const conflict = changes.length > 0 && insuranceProblems(targetFields(entry, context.companies, row));
    if (conflict) {
      refuse(
        "kept_date_conflict",
        entry,
        at,
        keptDateText(entry.start_date === undefined ? "start_date" : "end_date", row),
      );
    }
    const verdict = changes.length > 0 ? "update" : "unchanged";
    return planned(entry, "insurances", position, verdict, { row: row.id, changes, notes });
  });
  const past = patient.deleted_insurances.map((entry, position) => {
    const row = rows.get(entry.id);
    if (!row) {
      const notes = notesOn(entry, "deleted_insurances", context.companies);
      return planned(entry, "deleted_insurances", position, "archive", { notes });
    }
    if (row.deleted_date !== null) return planned(entry, "deleted_insurances", position, "unchanged", { row: row.id });
    if (!untouched(row))
      refuse(
        "changed_here",
        entry,
        null,
        `Insurance ${entry.id} has ended in the export but was changed in Crosswalk.`,
      );
    return planned(entry, "deleted_insurances", position, "archive", { row: row.id });
  });
  const listed = new Set([...patient.insurances, ...patient.deleted_insurances].map(({ id }) => id));
  for (const id of context.leftOut) listed.add(id);
  const absent = known.insurances.flatMap((row) => {
    const { external_id: id, deleted_date } = row;
    return deleted_date === null && id !== null && !listed.has(id) ? [{ id, row }] : [];
  });
  for (const { id } of absent.filter(({ row }) => !untouched(row))) {
    refuse("changed_here", { id }, null, `Insurance ${id} is missing from the export but was changed in Crosswalk.`);
  }
  // A damaged or lost row looks like an insurance that ended, so absence alone archives nothing (ADR 0141).
  for (const { id, row } of absent.filter((one) => untouched(one.row) && !context.ended.has(one.id))) {
    const message = `Insurance ${id} (${row.carrier || "no payer"}) is active in Crosswalk but missing from the export.`;
    const fix = { values: { archive: id }, why: "It has ended. The conversion archives it." };
    problems.push({ code: "insurance_absent", list: null, position: null, insurance: id, message, fix });
  }
  const here = absent.map(
    ({ id, row }, position): InsurancePlan => ({
      list: "here",
      position,
      id,
      rank: row.rank,
      verdict: "archive",
      row: row.id,
      changes: [],
    }),
  );
  problems.push(...rankProblems(patient, kept));
  if (problems.length > 0) return { problems };
  const insurances = [...current, ...past, ...here];
  return { plan: { verdict: verdictOf(insurances), patient: known.id, version: known.version, insurances } };
}

/** Returns active insurances that the conversion leaves unchanged: created here, or skipped by staff. */
function findKept(patient: StagedPatient, known: KnownPatient, leftOut: ReadonlySet<number>): InsuranceRow[] {
  const listed = new Set([...patient.insurances, ...patient.deleted_insurances].map(({ id }) => id));
  return known.insurances.filter(
    ({ external_id: id, deleted_date }) =>
      deleted_date === null && (id === null || (leftOut.has(id) && !listed.has(id))),
  );
}

/** Returns the insurance that will hold each rank: one of the practice, or a new one. */
function ranksAfter(
  patient: StagedPatient,
  kept: readonly InsuranceRow[],
  rows: ReadonlyMap<number, InsuranceRow>,
): Map<Rank, InsuranceRow | "new"> {
  return new Map([
    ...kept.map((row) => [row.rank, row] as const),
    ...patient.insurances.map((entry) => [toRank(entry.rank), rows.get(entry.id) ?? "new"] as const),
  ]);
}

/** Says which date is kept because the export lacks it. */
function keptDateText(field: "start_date" | "end_date", row: InsuranceRow): string {
  const day = dayWords(row[field] ?? "");
  return `The export has no ${fieldWords(field)}, so ${day} is kept. The termination date would be before the effective date.`;
}

function verdictOf(insurances: readonly InsurancePlan[]): PatientPlan["verdict"] {
  const verdicts = new Set(insurances.map(({ verdict }) => verdict));
  if (verdicts.has("create") || verdicts.has("update")) return "update";
  return verdicts.has("archive") ? "archive" : "unchanged";
}

function changedFields(entry: LegacyInsurance, row: InsuranceRow, { companies }: PlanContext): string[] {
  const target = targetFields(entry, companies, row);
  // No record here can have a payer that only the conversion will create.
  const isNewCompany = target.insurance_company === null && namesCompany(entry, companies);
  const fields = INSURANCE_FIELDS.filter(
    (field) =>
      field !== "insurance_plan" && (target[field] !== row[field] || (field === "insurance_company" && isNewCompany)),
  );
  return toRank(entry.rank) === row.rank ? [...fields] : ["rank", ...fields];
}

/**
 * Returns whether the record has card images for places of a rank that are empty after the cards have moved with their
 * insurances.
 */
function hasNewCards(patient: StagedPatient, shown: ReadonlyMap<Rank, ReadonlySet<number>>, rank: Rank): boolean {
  const images = patient.insurance_cards.filter((card) => card.rank === rank).flatMap((card) => card.images);
  return images.some(({ side }) => !shown.get(rank)?.has(side));
}

function ownershipProblems(patient: StagedPatient, { elsewhere }: PlanContext): PlanProblem[] {
  return (["insurances", "deleted_insurances"] as const).flatMap((list) =>
    patient[list].flatMap(({ id }, at): PlanProblem[] => {
      if (!elsewhere.has(id)) return [];
      const message = `Insurance ${id} belongs to another patient in Crosswalk.`;
      return [{ code: "insurance_id_elsewhere", list, position: at, insurance: id, message }];
    }),
  );
}

function identityProblems(patient: StagedPatient, known: KnownPatient): PlanProblem[] {
  const about = { list: null, position: null, insurance: null };
  if (known.deleted_date !== null) {
    return [{ code: "patient_deleted_here", ...about, message: `Patient ${known.id} was deleted in Crosswalk.` }];
  }
  const differing = [
    ...(sameName(patient.first_name, known.first_name) ? [] : ["first_name"]),
    ...(sameName(patient.last_name, known.last_name) ? [] : ["last_name"]),
    ...(patient.dob === known.dob ? [] : ["dob"]),
  ];
  if (differing.length === 0) return [];
  const message = `${fieldSubject(differing)} ${differing.length > 1 ? "differ" : "differs"} from patient ${known.id} in Crosswalk.`;
  return [{ code: "identity_differs_here", ...about, message }];
}

/** Reports ranks of the record that are held by insurances outside the conversion. */
function rankProblems(patient: StagedPatient, kept: readonly InsuranceRow[]): PlanProblem[] {
  return patient.insurances.flatMap((entry, position): PlanProblem[] => {
    const holder = kept.find(({ rank }) => rank === toRank(entry.rank));
    if (!holder) return [];
    const { external_id: id, policy_id } = holder;
    const who =
      id === null
        ? `Policy ${policy_id}, created in Crosswalk, is already`
        : `Insurance ${id}, which was skipped, stays`;
    const message = `${who} ${entry.rank}.`;
    return [{ code: "rank_held_here", list: "insurances", position, insurance: entry.id, message }];
  });
}

type Sides = ReadonlySet<number>;

/**
 * Returns the card sides of each rank after the insurances have moved and before images are added, as the ledger of
 * the legacy records does it (`moveCardsWithInsurances`).
 */
export function cardsAfter(
  { insurances, cards }: { insurances: readonly InsuranceRow[]; cards: ReadonlySet<string> },
  after: ReadonlyMap<Rank, InsuranceRow | "new">,
): Map<Rank, Sides> {
  const before = insurances.filter(({ deleted_date }) => deleted_date === null);
  const staying = new Set([...after.values()].flatMap((row) => (row === "new" ? [] : [row.id])));
  const sidesAt = (rank: Rank): Sides => {
    const places = [...cards].map((place) => place.split(" ").map(Number));
    return new Set(places.flatMap(([at, side]) => (at === rank && side !== undefined ? [side] : [])));
  };
  const shown = (rank: Rank): Sides => {
    const holder = after.get(rank);
    const previous = before.find((row) => row.rank === rank);
    const held = holder !== undefined && holder !== "new" ? before.find(({ id }) => id === holder.id) : undefined;
    const previousSides = held && sidesAt(held.rank);
    if (previousSides && (previousSides.size > 0 || previous)) return previousSides;
    if (holder === undefined) return previous ? new Set() : sidesAt(rank);
    return !held && previous && staying.has(previous.id) ? new Set() : sidesAt(rank);
  };
  return new Map(RANKS.map((rank) => [rank, shown(rank)]));
}
