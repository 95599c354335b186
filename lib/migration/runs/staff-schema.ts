import { z } from "zod";
import { FindingDecision, RecordState, Severity, SignOffDecision, Verdict } from "@/generated/rows/enums";
import { COLUMN_TARGETS } from "@/lib/migration/record/columns";
import { integerParam } from "@/lib/platform/http/pagination";
import { calendarDate } from "@/lib/platform/http/validation";

const MAX_FILE_BYTES = 8 * 1024 ** 3;
const MAX_COMPANIES_TEXT = 8 * 1024 ** 2;

const columns = z.record(z.string().max(500), z.enum(COLUMN_TARGETS));

/** Body of POST for a new run, whose file is uploaded afterwards. */
export const newRun = z.strictObject({
  name: z.string().trim().min(1).max(255),
  size: z.int().min(1, "The file is empty.").max(MAX_FILE_BYTES, "A file may have at most 8 GiB."),
  as_of: calendarDate.optional(),
  columns: columns.nullable().default(null),
  /** The payers of the export: the text of a companies file. */
  companies: z.string().max(MAX_COMPANIES_TEXT, "May have at most 8 MiB.").default(""),
  /** The run whose export this one corrects. */
  follows: z.int().positive().optional(),
});

const paging = {
  offset: integerParam.pipe(z.number().min(0).max(10_000_000)).default(0),
  limit: integerParam.pipe(z.number().min(1).max(100)).default(50),
};
export const runsQuery = paging;

/** The first part to hash. */
export const partsQuery = { from: integerParam.pipe(z.number().min(1).max(1_000_000)).default(1) };

const flag = z.enum(["true", "false"]).transform((text) => text === "true");

const decision = z.enum([...Object.values(FindingDecision), "corrected"]);

/** Filters for the findings of a run. */
export const findingFilter = {
  code: z.string().max(60).optional(),
  severity: z.enum(Severity).optional(),
  decision: decision.optional(),
  fix: flag.optional(),
  owner: integerParam.optional(),
  patient: z.string().max(100).optional(),
  decidable: flag.optional(),
};
export const findingsQuery = { ...findingFilter, ...paging };
export const findingsExport = { ...findingFilter, format: z.enum(["csv", "ndjson"]).default("csv") };

/** Filters for the records of a run. */
export const recordsQuery = {
  verdict: z.enum(Verdict).optional(),
  state: z.enum(RecordState).optional(),
  patient: z.string().max(100).optional(),
  ...paging,
};

const bodyFilter = z.strictObject({
  code: findingFilter.code,
  severity: findingFilter.severity,
  decision: findingFilter.decision,
  fix: z.boolean().optional(),
  owner: z.int().min(0).optional(),
  patient: findingFilter.patient,
  decidable: z.boolean().optional(),
});

const reason = z.string().trim().min(1, "Enter a reason for skipping the record.").max(500);

/** Values that staff enter instead of those in the export. */
const corrected = z.record(z.string().max(60), z.union([z.string().max(1_000), z.int(), z.null()]));

/** Body of POST for a decision on these findings, on all that match a filter, or on all open ones like this one. */
export const decisionBody = z.strictObject({
  findings: z.union([
    z.strictObject({ ids: z.array(z.int().positive()).min(1).max(5_000) }),
    z.strictObject({ filter: bodyFilter }),
    z.strictObject({ like: z.int().positive() }),
  ]),
  decision: z.discriminatedUnion("decide", [
    z.strictObject({ decide: z.literal("accept") }),
    z.strictObject({ decide: z.literal("correct"), values: corrected }),
    z.strictObject({ decide: z.literal("skip"), reason }),
    z.strictObject({ decide: z.literal("reopen") }),
    z.strictObject({
      decide: z.literal("assign"),
      owner_id: z.int().positive().nullable().optional(),
      due_date: calendarDate.nullable().optional(),
      note: z.string().trim().max(2_000).nullable().optional(),
    }),
  ]),
});

/** The turn of the page that sends a part. Pages of the previous version don't send it. */
export const uploadQuery = { turn: integerParam.optional() };

/** Body of POST for an action on a run. To start the check of an uploaded file, a page sends its turn. */
export const workBody = z.strictObject({
  work: z.enum(["check", "verify", "cancel", "resume"]),
  turn: z.int().optional(),
});

/** Body of POST for a sign-off. */
export const signOffBody = z.strictObject({
  decision: z.enum(SignOffDecision),
  reason: z.string().trim().min(1, "Enter the basis for the decision.").max(1_000),
});

/** Body of POST for a rehearsal: a legacy write on a patient, as a client would send it. */
export const rehearsalBody = z.strictObject({ patient: z.int().positive(), body: z.record(z.string(), z.unknown()) });

/** Body of POST for a run on the practice's own records. */
export const ownRun = z.strictObject({ as_of: calendarDate.optional() });
