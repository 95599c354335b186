import { z } from "zod";
import { PolicyStatus } from "@/generated/rows/enums";
import { VERSION_KINDS } from "@/lib/access/endpoints/policy-effect";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import {
  INSURANCE_FIELDS,
  type InsuranceField,
  type InsuranceFields,
  insuranceShape,
} from "@/lib/insurance/fields/fields";
import { policyInput, rank } from "@/lib/insurance/fields/policy-fields";
import type { Row } from "@/lib/platform/db/rows";
import type { UploadedFile } from "@/lib/platform/http/body";
import { integerParam, orderParam } from "@/lib/platform/http/pagination";
import { timeParam } from "@/lib/platform/http/query";
import { decodeBase64 } from "@/lib/platform/storage/process-image";

/** A policy as stored, with its current card images. Amounts are decimal strings, dates `YYYY-MM-DD`, times ISO 8601. */
export type PolicyRow = Omit<Row<"policy">, InsuranceField> & InsuranceFields & { card_images: PlacedImage[] };

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
 * The policy that staff saw at the requested rank, or null if they saw none. The write fails if another policy holds the rank
 * by then, because taking the rank archives its holder. If omitted, any holder is archived.
 */
const rankHolder = z.strictObject({ id: z.int().positive(), version: z.int().positive() }).nullable().optional();
/** Undefined if the write does not say which policy its author saw. */
export type RankHolder = z.output<typeof rankHolder>;

/** The rank that the current holder moves to, or `archived`, which is the default, as in the API. */
const rankHolderTo = z.union([rank, z.literal("archived")], { error: "Must be 1, 2, 3 or archived." }).optional();

/** What happens to the policy that holds a rank when a write takes the rank. */
export interface RankTakeover {
  /** The policy the author saw at the rank. */
  seen?: RankHolder;
  to?: z.output<typeof rankHolderTo>;
}

const rankTakeover = { rank_holder: rankHolder, rank_holder_to: rankHolderTo };

/** Body of POST and PUT of a policy on staff pages. */
export const staffPolicyInput = policyInput.extend(rankTakeover);

/** Body of restore on staff pages: the rank to restore the policy to, by default the one it had. */
export const restoreInput = z.strictObject({ rank: rank.nullable().optional(), ...rankTakeover });

/** Body of undo on staff pages: the policies a write changed, in the versions it gave them. */
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

/** Body of reorder on staff pages: every active policy the user saw, in the version they saw. */
export const versionedReorderInput = z
  .array(reorderInput.element.extend({ version: z.int().positive() }))
  .min(1)
  .max(50);
export type VersionedReorder = z.output<typeof versionedReorderInput>;

const time = z.iso.datetime();

const cardImageSummary = z
  .object({
    image_rank: z.int(),
    content_type: z.string(),
    bytes: z.int(),
    created_date: time,
  })
  .meta({ title: "CardImageSummary" });

/** A policy in responses. */
export const policyResponse = z
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

/** A card image in responses. `url` needs no token and expires after `ttl` seconds. */
export const cardImageResponse = cardImageSummary
  .extend({
    width: z.int(),
    height: z.int(),
    sha256: z.string(),
    url: z.string(),
    ttl: z.int(),
  })
  .meta({ title: "CardImage" });

/** A version in responses: what changed, who changed it, when, how and why. */
export const versionResponse = z
  .object({
    version: z.int(),
    kind: z.enum(VERSION_KINDS),
    changes: z.record(z.string(), z.object({ old: z.unknown(), new: z.unknown() })),
    actor: z.object({ type: z.string(), id: z.int().nullable(), name: z.string() }),
    source: z.string(),
    reason: z.string().nullable(),
    request_id: z.string().nullable(),
    occurred_date: time,
    recorded_date: time,
  })
  .meta({ title: "PolicyVersion" });

/** One version in responses, with the whole policy and signed URLs for its card images. */
export const versionDetailResponse = versionResponse
  .extend({
    policy: policyResponse.extend({ card_images: z.array(cardImageResponse) }),
  })
  .meta({ title: "PolicyVersionDetail" });

/** A version number in a path. */
export const versionParam = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);

/** Query of a policy's history page: the version to show, and the one to compare it with. */
export const historyQuery = {
  version: versionParam.optional().catch(undefined),
  with: versionParam.optional().catch(undefined),
};
export type HistoryQuery = z.output<z.ZodObject<typeof historyQuery>>;

/** Query of the page that adds a policy: the ID of the one that it replaces. */
export const newPolicyQuery = { replaces: integerParam.optional().catch(undefined) };

/** Filters of the policies list. */
export const policyFilter = {
  status: z.enum(PolicyStatus).optional(),
  rank: z.enum(["1", "2", "3"], { error: "Must be 1, 2 or 3." }).transform(Number).optional(),
  order_by: orderParam(["created_date"])
    .optional()
    .describe(
      "The field to sort by; a `-` in front sorts in descending order. By default, active policies come first by rank, then archived ones, newest first.",
    ),
  as_of: timeParam({ zone: "required" }).optional().describe("Lists the policies in their state at this time."),
};

const imageRank = z.int().min(1).max(9);

/** Body of a card image upload. `image_rank` is 1 (front), 2 (back) or up to 9; if omitted, the next free one. */
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

/** Reads `cardImageInput` from a multipart form: `image` is a file, `image_rank` a number. */
export function cardImageFromForm(fields: Record<string, string>, files: Record<string, UploadedFile>): unknown {
  const { image_rank, ...others } = fields;
  const { image, ...otherFiles } = files;
  const rank = image_rank && /^-?\d+$/.test(image_rank) ? Number(image_rank) : image_rank || undefined;
  return { ...others, image_rank: rank, ...otherFiles, image: image ? image.bytes : fields.image };
}
