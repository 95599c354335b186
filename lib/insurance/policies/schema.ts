import { z } from "zod";
import { PolicyStatus } from "@/generated/rows/enums";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { INSURANCE_FIELDS, type InsuranceFields, insuranceShape } from "@/lib/insurance/fields/fields";
import { policyInput, rank } from "@/lib/insurance/fields/policy-fields";
import type { Rank } from "@/lib/insurance/fields/ranks";
import type { UploadedFile } from "@/lib/platform/http/body";
import { orderParam } from "@/lib/platform/http/pagination";
import { timeParam } from "@/lib/platform/http/query";
import { decodeBase64 } from "@/lib/platform/storage/process-image";

/** A policy as stored, with its present card images. Amounts are decimal strings, dates `YYYY-MM-DD`, times ISO 8601. */
export interface PolicyRow extends InsuranceFields {
  id: number;
  patient_id: number;
  practice_id: number;
  status: PolicyStatus;
  version: number;
  rank: Rank | null;
  patient_first_name: string;
  patient_last_name: string;
  patient_dob: string;
  patient_insurance: number;
  created_date: string;
  modified_date: string;
  archived_date: string | null;
  archive_reason: string | null;
  card_images: PlacedImage[];
}

/** The columns of the policy table, in the order every statement uses. */
export const POLICY_COLUMNS = [
  "id",
  "patient_id",
  "practice_id",
  "status",
  "version",
  "rank",
  "patient_first_name",
  "patient_last_name",
  "patient_dob",
  ...INSURANCE_FIELDS,
  "patient_insurance",
  "created_date",
  "modified_date",
  "archived_date",
  "archive_reason",
] as const satisfies readonly (keyof PolicyRow)[];

/**
 * Who the staff saw at the rank they ask for, null where nobody: a write that takes the rank archives its holder, and holds
 * only while it is that one. Left out, whoever holds it makes way.
 */
const rankHolder = z.strictObject({ id: z.int().positive(), version: z.int().positive() }).nullable().optional();
/** Undefined where nothing was said of it. */
export type RankHolder = z.output<typeof rankHolder>;

/** Where the policy that holds the rank goes: to another rank, or into the archive. Left out: into the archive, as in the API. */
const rankHolderTo = z.union([rank, z.literal("archived")], { error: "Must be 1, 2, 3 or archived." }).optional();

/** What happens to the policy that holds a rank a write takes. */
export interface RankTaking {
  /** Who the author saw there. */
  seen?: RankHolder;
  to?: z.output<typeof rankHolderTo>;
}

const rankTaking = { rank_holder: rankHolder, rank_holder_to: rankHolderTo };

/** Body of the staff's POST and PUT of a policy. */
export const staffPolicyInput = policyInput.extend(rankTaking);

/** Body of the staff's restore: the rank to come back to; left out, the one it had. */
export const restoreInput = z.strictObject({ rank: rank.nullable().optional(), ...rankTaking });

/** Body of the staff's undo: the policies a write changed, in the versions it gave them. */
export const undoInput = z.strictObject({
  policies: z
    .array(z.strictObject({ id: z.int().positive(), version: z.int().positive() }))
    .min(1)
    .max(10),
});
export type WrittenVersion = z.output<typeof undoInput>["policies"][number];

/** Body of `policies/reorder`. */
export const reorderInput = z
  .array(z.strictObject({ id: z.int().positive(), rank: rank.nullable() }))
  .min(1)
  .max(50);
export type Reorder = z.output<typeof reorderInput>;

/** Body of the staff's reorder: every active policy they saw, in the version they saw. */
export const seenOrderInput = z
  .array(reorderInput.element.extend({ version: z.int().positive() }))
  .min(1)
  .max(50);
export type SeenOrder = z.output<typeof seenOrderInput>;

const time = z.iso.datetime();

const cardImageSummary = z
  .object({
    image_rank: z.int(),
    content_type: z.string(),
    bytes: z.int(),
    created_date: time,
  })
  .meta({ title: "CardImageSummary" });

/** A policy on the wire (design §5). */
export const policyAnswer = z
  .object({
    id: z.int(),
    patient: z.int(),
    practice: z.int(),
    status: z.enum(PolicyStatus),
    version: z.int(),
    rank: z.int().min(1).max(3).nullable(),
    patient_first_name: z.string(),
    patient_last_name: z.string(),
    patient_dob: z.string(),
    ...insuranceShape,
    patient_insurance: z.int(),
    card_images: z.array(cardImageSummary),
    created_date: time,
    modified_date: time,
    archived_date: time.nullable(),
    archive_reason: z.string().nullable(),
  })
  .meta({ title: "Policy" });

/** A card image on the wire; `url` needs no token and lives `ttl` seconds. */
export const cardImageAnswer = cardImageSummary
  .extend({
    width: z.int(),
    height: z.int(),
    sha256: z.string(),
    url: z.string(),
    ttl: z.int(),
  })
  .meta({ title: "CardImage" });

/** A version on the wire: what changed, who, when, from where and why. */
export const versionAnswer = z
  .object({
    version: z.int(),
    kind: z.string(),
    changes: z.record(z.string(), z.object({ old: z.unknown(), new: z.unknown() })),
    actor: z.object({ type: z.string(), id: z.int().nullable(), name: z.string() }),
    source: z.string(),
    reason: z.string().nullable(),
    request_id: z.string().nullable(),
    occurred_date: time,
    recorded_date: time,
  })
  .meta({ title: "PolicyVersion" });

/** One version on the wire, with the policy as it stood and its card images readable. */
export const versionDetailAnswer = versionAnswer
  .extend({
    policy: policyAnswer.extend({ card_images: z.array(cardImageAnswer) }),
  })
  .meta({ title: "PolicyVersionDetail" });

/** A version's number in a path. */
export const versionParam = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);

/** Query of the page of a policy's history: the version that is looked at, and the one it is compared with. */
export const historyQuery = {
  version: versionParam.optional().catch(undefined),
  with: versionParam.optional().catch(undefined),
};
export type HistoryQuery = z.output<z.ZodObject<typeof historyQuery>>;

/** Filters of the policies list. */
export const policyFilter = {
  status: z.enum(PolicyStatus).optional(),
  rank: z.enum(["1", "2", "3"], { error: "Must be 1, 2 or 3." }).transform(Number).optional(),
  order_by: orderParam(["created_date"])
    .optional()
    .describe(
      "The field the list is ordered by; with `-` in front, from the last to the first. Left out, active ones are first, by rank, then archived ones, newest first.",
    ),
  as_of: timeParam({ zone: "required" }).optional().describe("The policies as they stood at this time."),
};

const imageRank = z.int().min(1).max(9);

/** Body of a card image upload: `image_rank` 1 front, 2 back, up to 9; left out, the next free place. */
export const cardImageInput = z
  .strictObject({
    image: z.union([
      z.instanceof(Uint8Array),
      z.strictObject({
        base64_content: z.string().transform((text) => decodeBase64(text, "base64_content")),
        original_filename: z.string().max(255).optional(),
      }),
    ]),
    image_rank: imageRank.nullable().optional(),
  })
  .transform(({ image, image_rank }) => ({
    bytes: image instanceof Uint8Array ? image : image.base64_content,
    image_rank: image_rank ?? null,
  }));

/** The same from a multipart form: `image` a file, `image_rank` a number. */
export function cardImageFromForm(fields: Record<string, string>, files: Record<string, UploadedFile>): unknown {
  const { image_rank, ...others } = fields;
  const { image, ...otherFiles } = files;
  const rank = image_rank && /^-?\d+$/.test(image_rank) ? Number(image_rank) : image_rank || undefined;
  return { ...others, image_rank: rank, ...otherFiles, image: image ? image.bytes : fields.image };
}
