// Direct changes in the database, and where verification must report them.
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type Sql, sql } from "@/lib/platform/db/sql";
import { imageStore } from "@/lib/platform/storage/image-store";
import { pngImage } from "./images";

/** A converted patient: a primary insurance with a card, a secondary one, and a past tertiary one. */
export interface Place {
  number: number;
  practice: number;
  patient: number;
  /** Its neighbor in the file, who stays unchanged. */
  other: number;
  primary: { insurance: number; policy: number };
  secondary: { insurance: number; policy: number };
  past: { insurance: number; policy: number };
  image: string;
}

export interface Injected {
  what: string;
  /** Where the difference is reported, and for which field. */
  where: (place: Place) => string;
  field: string;
  write: (place: Place) => Sql[] | Promise<Sql[]>;
}

const inPolicy = (place: Place) => `policy ${place.primary.policy}`;
const inPast = (place: Place) => `policy ${place.past.policy}`;
const inPatient = () => "patient";
const setPolicy = (set: Sql) => (place: Place) => [sql`UPDATE policy SET ${set} WHERE id = ${place.primary.policy}`];
const setPast = (set: Sql) => (place: Place) => [sql`UPDATE policy SET ${set} WHERE id = ${place.past.policy}`];
const setLegacy = (set: Sql) => (place: Place) => [
  sql`UPDATE patient_insurance SET ${set} WHERE id = ${place.primary.insurance}`,
];
const setPastLegacy = (set: Sql) => (place: Place) => [
  sql`UPDATE patient_insurance SET ${set} WHERE id = ${place.past.insurance}`,
];
const setPatient = (set: Sql) => (place: Place) => [sql`UPDATE patient SET ${set} WHERE id = ${place.patient}`];
const setCard = (set: Sql) => (place: Place) => [
  sql`UPDATE legacy_card SET ${set} WHERE patient_id = ${place.patient} AND side = 1`,
];
const setImage = (set: Sql) => (place: Place) => [
  sql`UPDATE policy_card_image SET ${set} WHERE policy_id = ${place.primary.policy} AND image_rank = 1`,
];
const inSnapshot = (field: string, value: unknown) => (place: Place) => [
  sql`UPDATE policy_version SET snapshot = jsonb_set(snapshot, ARRAY[${field}], ${JSON.stringify(value)}::jsonb)
    WHERE policy_id = ${place.primary.policy}`,
];

/** The change, the field that reports it, and the columns that are set. */
type Plain = [what: string, field: string, set: Sql];

const OF_POLICY: Plain[] = [
  ["policy member id", "member_id", sql`member_id = 'X'`],
  ["policy group emptied", "group_id", sql`group_id = NULL`],
  ["policy blank for null", "suite", sql`suite = ''`],
  ["policy carrier in other case", "carrier", sql`carrier = upper(carrier)`],
  ["policy one cent more", "copay", sql`copay = copay + 0.01`],
  ["policy amount of another sign", "deductible", sql`deductible = -deductible`],
  ["policy a day later", "start_date", sql`start_date = start_date + 1`],
  ["policy with an end", "end_date", sql`end_date = '2030-01-01'`],
  ["policy program", "payment_program", sql`payment_program = 'Medicaid'`],
  ["policy relationship", "relationship_to_insured", sql`relationship_to_insured = 'Child'`],
  ["policy company", "insurance_company", sql`insurance_company = NULL`],
  ["policy rank", "rank", sql`rank = 3`],
  ["policy without rank", "rank", sql`rank = NULL`],
  ["policy archived", "status", sql`status = 'archived', archived_date = now()`],
  ["policy's patient's first name", "patient_first_name", sql`patient_first_name = 'X'`],
  ["policy's patient's last name", "patient_last_name", sql`patient_last_name = 'X'`],
  ["policy's patient's birth", "patient_dob", sql`patient_dob = '1980-05-18'`],
  ["policy version raised", "version", sql`version = version + 1`],
  ["policy changed at another time", "modified_date", sql`modified_date = '2024-01-01'`],
  ["policy made at another time", "created_date", sql`created_date = '2014-01-01'`],
  ["policy of another practice", "practice", sql`practice_id = practice_id - 1`],
  ["policy of another insurance", "patient_insurance", sql`patient_insurance = patient_insurance + 100000`],
];

const OF_PAST_POLICY: Plain[] = [
  ["past policy active", "status", sql`status = 'active', archived_date = NULL`],
  ["past policy's field", "plan", sql`plan = 'Other'`],
  ["past policy archived at another time", "archived_date", sql`archived_date = '2013-01-01'`],
  ["past policy archived for another reason", "archive_reason", sql`archive_reason = 'superseded'`],
];

const OF_LEGACY: Plain[] = [
  ["legacy member id", "member_id", sql`member_id = 'Y'`],
  ["legacy phone", "phone", sql`phone = '555'`],
  ["legacy amount", "copay", sql`copay = 19.99`],
  ["legacy amount emptied", "deductible", sql`deductible = NULL`],
  ["legacy start", "start_date", sql`start_date = '2016-01-01'`],
  ["legacy rank", "rank", sql`rank = 3`],
  ["legacy ended", "status", sql`deleted_date = now()`],
  ["legacy made at another time", "created_date", sql`created_date = '2014-01-01'`],
  ["legacy of another practice", "practice", sql`practice_id = practice_id - 1`],
];

const OF_PAST_LEGACY: Plain[] = [
  ["past legacy current", "status", sql`deleted_date = NULL`],
  ["past legacy ended at another time", "archived_date", sql`deleted_date = '2013-01-01'`],
];

const OF_PATIENT: Plain[] = [
  ["first name", "first_name", sql`first_name = 'Other'`],
  ["middle name", "middle_name", sql`middle_name = 'Q'`],
  ["last name", "last_name", sql`last_name = 'Other'`],
  ["birth", "dob", sql`dob = '1980-05-18'`],
  ["sex", "sex", sql`sex = 'Unknown'`],
  ["patient deleted", "deleted_date", sql`deleted_date = now()`],
  ["patient of another id there", "id", sql`external_id = external_id + 100000`],
  ["patient of another practice", "id", sql`practice_id = practice_id - 1`],
];

const OF_CARD: Plain[] = [
  ["card shows another image", "card_images", sql`image_key = ${randomUUID()}::uuid`],
  ["card of another hash", "card_images", sql`sha256 = repeat('0', 64)`],
  ["card of another size", "card_images", sql`width = width + 1`],
  ["card at another side", "card_images", sql`side = 5`],
  ["card at another rank", "card_images", sql`rank = 2`],
  ["card ended", "card_images", sql`ended_date = now()`],
];

const OF_IMAGE: Plain[] = [
  ["policy shows another image", "card_images", sql`image_key = ${randomUUID()}::uuid`],
  ["policy's image of another hash", "card_images", sql`sha256 = repeat('0', 64)`],
  ["policy's image ended", "card_images", sql`to_version = 1`],
];

const plain = (list: Plain[], where: Injected["where"], write: (set: Sql) => Injected["write"]): Injected[] =>
  list.map(([what, field, set]) => ({ what, where, field, write: write(set) }));

export const DIFFERENCES: Injected[] = [
  ...plain(OF_POLICY, inPolicy, setPolicy),
  ...plain(OF_PAST_POLICY, inPast, setPast),
  ...plain(OF_LEGACY, inPolicy, setLegacy),
  ...plain(OF_PAST_LEGACY, inPast, setPastLegacy),
  ...plain(OF_PATIENT, inPatient, setPatient),
  ...plain(OF_CARD, inPolicy, setCard),
  ...plain(OF_IMAGE, inPolicy, setImage),
  // Fields of a policy.
  {
    what: "policy of another patient",
    where: ({ primary }) => `insurance ${primary.insurance}`,
    field: "policy",
    write: ({ primary, patient }) => [
      sql`UPDATE policy SET patient_id = ${patient - 100_000} WHERE id = ${primary.policy}`,
    ],
  },
  // Fields of a legacy record.
  {
    what: "past legacy rank",
    where: (p) => `insurance ${p.past.insurance}`,
    field: "rank",
    write: setPastLegacy(sql`rank = 2`),
  },
  {
    what: "legacy of another policy",
    where: ({ primary }) => `insurance ${primary.insurance}`,
    field: "policy",
    write: setLegacy(sql`policy_id = policy_id + 100000`),
  },
  {
    what: "legacy of another id there",
    where: ({ number }) => `insurance ${10 * number} of the export`,
    field: "record",
    write: setLegacy(sql`external_id = external_id + 100000`),
  },
  {
    what: "both sides and history, alike",
    where: ({ primary }) => `insurance ${primary.insurance}`,
    field: "member_id",
    write: (place) => [
      ...setPolicy(sql`member_id = 'Z'`)(place),
      ...setLegacy(sql`member_id = 'Z'`)(place),
      ...inSnapshot("member_id", "Z")(place),
    ],
  },
  {
    what: "two insurances of a patient exchanged",
    where: ({ primary }) => `insurance ${primary.insurance}`,
    field: "rank",
    write: ({ primary, secondary }) => [
      sql`UPDATE patient_insurance SET deleted_date = now() WHERE id = ${secondary.insurance}`,
      sql`UPDATE policy SET rank = NULL WHERE id = ${secondary.policy}`,
      ...[primary, secondary].flatMap(({ insurance, policy }, at) => [
        sql`UPDATE patient_insurance SET rank = ${2 - at}, deleted_date = NULL WHERE id = ${insurance}`,
        sql`UPDATE policy SET rank = ${2 - at} WHERE id = ${policy}`,
        sql`UPDATE policy_version SET snapshot = jsonb_set(snapshot, '{rank}', ${String(2 - at)}::jsonb)
            WHERE policy_id = ${policy}`,
      ]),
    ],
  },
  // The patient.
  // History.
  { what: "history says another field", where: inPolicy, field: "plan", write: inSnapshot("plan", "Other") },
  { what: "history says another status", where: inPolicy, field: "status", write: inSnapshot("status", "archived") },
  { what: "history shows no images", where: inPolicy, field: "card_images", write: inSnapshot("card_images", []) },
  {
    what: "history is gone",
    where: inPolicy,
    field: "version",
    write: ({ primary }) => [sql`DELETE FROM policy_version WHERE policy_id = ${primary.policy}`],
  },
  {
    what: "the last version of a past policy is gone",
    where: inPast,
    field: "version",
    write: ({ past }) => [sql`DELETE FROM policy_version WHERE policy_id = ${past.policy} AND version = 2`],
  },
  {
    what: "a version was added",
    where: inPolicy,
    field: "version",
    write: ({ primary }) => [
      sql`INSERT INTO policy_version (policy_id, version, patient_id, kind, snapshot, actor, source, occurred_date)
        SELECT policy_id, 2, patient_id, kind, snapshot, actor, source, occurred_date FROM policy_version
        WHERE policy_id = ${primary.policy}`,
    ],
  },
  // Deleted rows.
  {
    what: "a legacy record is gone",
    where: inPolicy,
    field: "patient_insurance",
    write: ({ primary }) => [sql`DELETE FROM patient_insurance WHERE id = ${primary.insurance}`],
  },
  {
    what: "a past legacy record is gone",
    where: ({ number }) => `insurance ${10 * number + 2} of the export`,
    field: "record",
    write: ({ past }) => [sql`DELETE FROM patient_insurance WHERE id = ${past.insurance}`],
  },
  {
    what: "a policy is gone",
    where: ({ primary }) => `insurance ${primary.insurance}`,
    field: "policy",
    write: ({ primary }) => [sql`DELETE FROM policy WHERE id = ${primary.policy}`],
  },
  {
    what: "an archived policy is gone",
    where: ({ past }) => `insurance ${past.insurance}`,
    field: "policy",
    write: ({ past }) => [sql`DELETE FROM policy WHERE id = ${past.policy}`],
  },
  {
    what: "an insurance is gone from both sides",
    where: ({ number }) => `insurance ${10 * number} of the export`,
    field: "record",
    write: ({ primary }) => [
      sql`DELETE FROM patient_insurance WHERE id = ${primary.insurance}`,
      sql`DELETE FROM policy_version WHERE policy_id = ${primary.policy}`,
      sql`DELETE FROM policy WHERE id = ${primary.policy}`,
    ],
  },
  {
    what: "a patient is gone",
    where: inPatient,
    field: "id",
    write: ({ patient }) => [sql`DELETE FROM patient WHERE id = ${patient}`],
  },
  {
    what: "an insurance is with another patient",
    where: ({ number }) => `insurance ${10 * number} of the export`,
    field: "record",
    write: ({ primary, patient }) => [
      sql`UPDATE patient_insurance SET patient_id = ${patient - 100_000} WHERE id = ${primary.insurance}`,
      sql`UPDATE policy SET patient_id = ${patient - 100_000} WHERE id = ${primary.policy}`,
    ],
  },
  // Cards.
  {
    what: "card is gone",
    where: inPolicy,
    field: "card_images",
    write: ({ patient }) => [sql`DELETE FROM legacy_card WHERE patient_id = ${patient}`],
  },
  {
    what: "an image is gone from both sides, and from history",
    where: () => "card 1 1",
    field: "image",
    write: (place) => [
      sql`DELETE FROM legacy_card WHERE patient_id = ${place.patient}`,
      sql`DELETE FROM policy_card_image WHERE policy_id = ${place.primary.policy}`,
      ...inSnapshot("card_images", [])(place),
    ],
  },
  {
    what: "the image of another hash everywhere",
    where: ({ image }) => `image ${image}`,
    field: "sha256",
    write: (place) => [
      ...setCard(sql`sha256 = repeat('1', 64)`)(place),
      ...setImage(sql`sha256 = repeat('1', 64)`)(place),
      sql`UPDATE policy_version SET snapshot = jsonb_set(snapshot, '{card_images,0,sha256}', to_jsonb(repeat('1', 64)))
        WHERE policy_id = ${place.primary.policy}`,
    ],
  },
  {
    what: "another patient's valid picture everywhere",
    where: () => "card 1 1",
    field: "sha256",
    write: async (place) => {
      const picture = await pngImage(98);
      const [key, sha256] = [randomUUID(), createHash("sha256").update(picture).digest("hex")];
      await imageStore().put(key, picture);
      const set = sql`image_key = ${key}::uuid, sha256 = ${sha256}`;
      const shown = JSON.stringify({ image_key: key, sha256 });
      return [
        ...setCard(set)(place),
        ...setImage(set)(place),
        sql`UPDATE policy_version SET snapshot = jsonb_set(snapshot, '{card_images,0}', (snapshot->'card_images'->0) || ${shown}::jsonb)
          WHERE policy_id = ${place.primary.policy}`,
      ];
    },
  },
  // The store.
  {
    what: "the object is another picture",
    where: ({ image }) => `image ${image}`,
    field: "sha256",
    write: async ({ image }) => {
      await imageStore().put(image, await pngImage(99));
      return [];
    },
  },
  {
    what: "the object lost its end",
    where: ({ image }) => `image ${image}`,
    field: "sha256",
    write: async ({ image }) => {
      const bytes = await imageStore().get(image);
      await imageStore().put(image, (bytes as Uint8Array).subarray(0, -1));
      return [];
    },
  },
  {
    what: "the object is gone",
    where: ({ image }) => `image ${image}`,
    field: "sha256",
    write: async ({ image }) => {
      await imageStore().delete(image);
      return [];
    },
  },
  {
    what: "the object can't be read",
    where: ({ image }) => `image ${image}`,
    field: "sha256",
    write: async ({ image }) => {
      await imageStore().delete(image);
      mkdirSync(path.join(process.env.IMAGE_STORE_DIR as string, image.slice(0, 2), image));
      return [];
    },
  },
];
