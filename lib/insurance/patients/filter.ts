import { z } from "zod";
import type { UploadedFile } from "@/lib/platform/http/body";
import { integerParam } from "@/lib/platform/http/pagination";
import { enumParam, isInstant, repeatable, timeRange } from "@/lib/platform/http/query";
import { calendarDate } from "@/lib/platform/http/validation";
import { SEXES } from "./schema";
import { COVERAGES, MISSING } from "./search-filters";
import { PATIENT_SEARCH_ORDERS } from "./staff-queries";

const text = z.string().max(200).optional();
const id = integerParam.optional();

const describeInsuranceFilter = (what: string) =>
  `Only patients who have a current insurance with this ${what}. If there are several insurance filters, one insurance must match all of them.`;

/** The contract's filters of GET `patients`. */
export const patientFilter = {
  first_name: text,
  last_name: text,
  dob: calendarDate.optional(),
  sex: enumParam(SEXES).optional(),
  member_id: text.describe(describeInsuranceFilter("`member_id`")),
  group_id: text.describe(describeInsuranceFilter("`group_id`")),
  phone_number: text.describe(
    "Only patients with this number among their `phones`. Punctuation and spaces are ignored.",
  ),
  insurance_company: id.describe(describeInsuranceFilter("company")),
  insurance_plan: id.describe(describeInsuranceFilter("plan")),
  master: id.describe("The same as `master_patient`."),
  master_patient: id,
  practice: repeatable(integerParam).optional().describe("Only patients whose `caregiver_practice` is one of these."),
  ...timeRange("last_modified"),
};

/** Query of DELETE `insurance_cards`. `archive` has no effect, because ended cards are always kept. */
export const cardQuery = {
  rank: integerParam
    .pipe(z.number().min(1).max(3))
    .describe("The insurance whose card is deleted: 1 primary, 2 secondary, 3 tertiary."),
  side: integerParam.pipe(z.number().min(1).max(9)).describe("The side to delete: 1 front, 2 back."),
  archive: z
    .string()
    .max(10)
    .optional()
    .describe("Accepted for older clients. It has no effect: ended cards are always kept."),
};

const SEARCH_ORDERS: readonly string[] = PATIENT_SEARCH_ORDERS.flatMap((field) => [field, `-${field}`] as const);

/** Query of the patient search on staff pages. */
export const patientSearchQuery = {
  search: z.string().max(200).default(""),
  payer: text,
  plan: text,
  coverage: enumParam(COVERAGES).optional(),
  missing: enumParam(MISSING).optional(),
  order: z
    .string()
    .refine((order) => SEARCH_ORDERS.includes(order), { error: `Must be one of ${SEARCH_ORDERS.join(", ")}.` })
    .default("last_name"),
  offset: integerParam.pipe(z.number().min(0).max(10_000_000)).default(0),
  limit: integerParam.pipe(z.number().min(1).max(100)).default(50),
};

const INVALID_CURSOR = "Must be the `next` value of a previous response.";

/** Query of a patient's timeline. `after` is the `next` of a previous response. */
export const timelineQuery = {
  after: z
    .string()
    .regex(/^[\d:.TZ-]+~[a-z]{1,10}~\d{1,15}~\d{1,9}$/, INVALID_CURSOR)
    .transform((cursor) => {
      const [time = "", type = "", id, version] = cursor.split("~");
      return { time, type, id: Number(id), version: Number(version) };
    })
    .refine(({ time }) => isInstant(time), INVALID_CURSOR)
    .nullable()
    .default(null),
  limit: integerParam.pipe(z.number().min(1).max(100)).default(30),
};

/** Body of a card upload by priority on staff pages: side 1 is the front, 2 the back. */
export const uploadedCard = z.strictObject({
  rank: z.int().min(1).max(3),
  side: z.int().min(1).max(9),
  image: z.instanceof(Uint8Array, { error: "A file is required." }),
});

/** Reads `uploadedCard` from a multipart form. */
export function cardFromForm(fields: Record<string, string>, files: Record<string, UploadedFile>): unknown {
  const { rank, side, ...others } = fields;
  const { image, ...otherFiles } = files;
  const number = (sent: string | undefined) => (sent ? Number(sent) : undefined);
  return {
    ...others,
    ...otherFiles,
    rank: number(rank),
    side: number(side),
    image: image ? image.bytes : fields.image,
  };
}
