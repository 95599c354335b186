import { z } from "zod";
import type { UploadedFile } from "@/lib/platform/http/body";
import { calendarDate } from "@/lib/platform/http/field-types";
import { integerParam } from "@/lib/platform/http/pagination";
import { enumParam, isInstant, repeatable, timeRange } from "@/lib/platform/http/query";
import { SEXES } from "./schema";
import { PATIENT_SEARCH_ORDERS } from "./staff-queries";

const text = z.string().max(200).optional();
const id = integerParam.optional();

const ofInsurance = (what: string) =>
  `Only patients with a current insurance of this ${what}; with other filters of insurances, one that fits them all.`;

/** The contract's filters of GET `patients`. */
export const patientFilter = {
  first_name: text,
  last_name: text,
  dob: calendarDate.optional(),
  sex: enumParam(SEXES).optional(),
  member_id: text.describe(ofInsurance("`member_id`")),
  group_id: text.describe(ofInsurance("`group_id`")),
  phone_number: text.describe("Only patients with this number among their `phones`, however it is written."),
  insurance_company: id.describe(ofInsurance("company")),
  insurance_plan: id.describe(ofInsurance("plan")),
  master: id.describe("The same as `master_patient`."),
  master_patient: id,
  practice: repeatable(integerParam).optional().describe("Only patients whose `caregiver_practice` is one of these."),
  ...timeRange("last_modified"),
};

/** Query of DELETE `insurance_cards`: all sides of a rank, or one. `archive` is accepted: an ended card is always kept. */
export const cardQuery = {
  rank: integerParam
    .pipe(z.number().min(1).max(3))
    .describe("Whose cards are deleted: 1 of the primary insurance, 2 of the secondary, 3 of the tertiary."),
  side: integerParam
    .pipe(z.number().min(1).max(9))
    .optional()
    .describe("The side that is deleted: 1 the front, 2 the back. Left out, all of them are."),
  archive: z
    .string()
    .max(10)
    .optional()
    .describe("Accepted for the sake of older clients: an ended card is always kept."),
};

const SEARCH_ORDERS: readonly string[] = PATIENT_SEARCH_ORDERS.flatMap((field) => [field, `-${field}`] as const);

/** Query of the staff's search. */
export const patientSearchQuery = {
  search: z.string().max(200).default(""),
  order: z
    .string()
    .refine((order) => SEARCH_ORDERS.includes(order), { error: `Must be one of ${SEARCH_ORDERS.join(", ")}.` })
    .default("last_name"),
  offset: integerParam.pipe(z.number().min(0).max(10_000_000)).default(0),
  limit: integerParam.pipe(z.number().min(1).max(100)).default(50),
};

/** Query of a patient's timeline: `after` is a `next` of an answer. */
export const timelineQuery = {
  after: z
    .string()
    .regex(/^[\d:.TZ-]+~[a-z]{1,10}~\d{1,15}~\d{1,9}$/, "Is no place in a timeline.")
    .refine((place) => isInstant(place.split("~", 1)[0] as string), "Is no place in a timeline.")
    .transform((place) => {
      const [time, type, id, version] = place.split("~") as [string, string, string, string];
      return { time, type, id: Number(id), version: Number(version) };
    })
    .nullable()
    .default(null),
  limit: integerParam.pipe(z.number().min(1).max(100)).default(30),
};

/** A card by priority as the staff's browser uploads it: side 1 front, 2 back. */
export const uploadedCard = z.strictObject({
  rank: z.int().min(1).max(3),
  side: z.int().min(1).max(9),
  image: z.instanceof(Uint8Array, { error: "A file is required." }),
});

/** The same from a multipart form. */
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
