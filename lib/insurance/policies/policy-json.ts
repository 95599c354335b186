import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import { raw } from "@/lib/platform/db/sql";
import { fromKeys, keysOf } from "@/lib/platform/objects";
import type { toPolicyDto } from "./dto";

/** A policy in its form in API responses, as text. */
export interface PolicyJson {
  id: number;
  version: number;
  json: string;
}

const time = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const IMAGES = `(SELECT coalesce(json_agg(shown ORDER BY shown.image_rank), '[]') FROM (
    SELECT i.image_rank, i.content_type, i.bytes, ${time("i.created_date")} AS created_date
    FROM policy_card_image i WHERE i.policy_id = p.id AND i.to_version IS NULL) shown)`;

/** The expressions of the fields of `toPolicyDto`, in its order. */
const FIELDS: Record<keyof ReturnType<typeof toPolicyDto>, string> = {
  id: "p.id",
  patient: "p.patient_id",
  practice: "p.practice_id",
  status: "p.status",
  version: "p.version",
  rank: "p.rank",
  patient_first_name: "p.patient_first_name",
  patient_last_name: "p.patient_last_name",
  patient_dob: "p.patient_dob",
  ...fromKeys(INSURANCE_FIELDS, (field) => `p.${field}`),
  // As text: JSON numbers would lose their decimals.
  copay: "p.copay::text",
  deductible: "p.deductible::text",
  patient_insurance: "p.patient_insurance",
  card_images: IMAGES,
  created_date: time("p.created_date"),
  modified_date: time("p.modified_date"),
  archived_date: time("p.archived_date"),
  archive_reason: "p.archive_reason",
};

const SELECTED = keysOf(FIELDS).map((field) => `${FIELDS[field]} AS ${field}`);

/**
 * The policies, named `p`, with their responses. PostgreSQL writes what `toPolicyDto` would be serialized to, with hardly more work than for
 * separate columns. Reading 50 columns into an object and serializing it takes the server seven times as long as passing on one.
 */
export const POLICIES_WITH_JSON = raw(`policy p, LATERAL (SELECT ${SELECTED.join(", ")}) response`);

/** The columns of a `PolicyJson`, from `POLICIES_WITH_JSON`. */
export const POLICY_JSON = raw("p.id, p.version, row_to_json(response)::text AS json");
