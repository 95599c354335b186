// What an export says about its patients, and what a conversion has stored of it, in the same form. Shares no code with the conversion.
import { RANK_WORDS, type RankWord } from "@/lib/insurance/fields/limits";
import { chunks, db, sql } from "@/lib/platform/db/sql";
import type { Facts } from "./checks";
import { hashStoredImage, sha256 } from "./image-hash";

/** How many images to read at a time. */
const IMAGES_AT_ONCE = 8;

interface Identity {
  first_name: string;
  last_name: string;
  dob: string;
}

interface Coverage {
  member_id: string | null;
  group_id: string | null;
  carrier: string | null;
  start_date: string | null;
  end_date: string | null;
}

/** A patient of an export. */
export interface ExportedPatient extends Identity {
  id: number;
  insurances: (Coverage & { id: number; rank: RankWord })[];
  deleted_insurances: (Coverage & { id: number; rank: RankWord })[];
  insurance_cards: { rank: number; images: { side: number; base64_content: string }[] }[];
}

const describePatient = ({ first_name, last_name, dob }: Identity) => `${first_name} ${last_name}, ${dob}`;

const describeCoverage = (id: number | string | null, rank: number | null, coverage: Coverage) => {
  const { member_id, group_id, carrier, start_date, end_date } = coverage;
  return `${id} rank ${rank} ${member_id} ${group_id} ${carrier} ${start_date} ${end_date}`;
};

/** Lists what an export says: each insurance is also a policy, and the images of a rank are those of its active policy. */
export function listExported(patients: readonly ExportedPatient[]): Facts {
  const factsOf = (patient: ExportedPatient) => {
    const { insurances, deleted_insurances: past } = patient;
    const rankOf = ({ rank }: { rank: RankWord }) => RANK_WORDS.indexOf(rank) + 1;
    const describeBoth = (isCurrent: boolean) => (insurance: (typeof past)[number]) => {
      const coverage = describeCoverage(insurance.id, rankOf(insurance), insurance);
      return [
        `insurance ${coverage} ${isCurrent ? "current" : "past"}`,
        `policy ${coverage} ${isCurrent ? "active" : "archived"}`,
      ];
    };
    const images = patient.insurance_cards.flatMap(({ rank, images }) =>
      images.flatMap(({ side, base64_content }) => {
        const hash = sha256(Buffer.from(base64_content, "base64"));
        const policy = insurances.find((insurance) => rankOf(insurance) === rank)?.id;
        return [`card ${rank} ${side} ${hash}`, `image of policy ${policy} ${side} ${hash}`];
      }),
    );
    return [
      describePatient(patient),
      ...insurances.flatMap(describeBoth(true)),
      ...past.flatMap(describeBoth(false)),
      ...images,
    ];
  };
  return new Map(patients.map((patient) => [String(patient.id), factsOf(patient)]));
}

/** Lists what a conversion has stored, with the hashes of the images in the image store. */
export async function listConverted(practice: number): Promise<Facts> {
  const facts = new Map<string, string[]>();
  const add = (patient: string, fact: string) => facts.set(patient, [...(facts.get(patient) ?? []), fact]);
  for (const { id, ...patient } of await listPatients(practice)) add(id, describePatient(patient));
  for (const { patient, insurance, rank, isCurrent, ...coverage } of await listInsurances(practice))
    add(patient, `insurance ${describeCoverage(insurance, rank, coverage)} ${isCurrent ? "current" : "past"}`);
  for (const { patient, insurance, rank, status, ...coverage } of await listPolicies(practice))
    add(patient, `policy ${describeCoverage(insurance, rank, coverage)} ${status}`);
  for (const part of chunks(await listImages(practice), IMAGES_AT_ONCE)) {
    const hashes = await Promise.all(part.map(({ image_key }) => hashStoredImage(image_key)));
    for (const [at, { patient, place }] of part.entries()) add(patient, `${place} ${hashes[at]}`);
  }
  return facts;
}

const listPatients = (practice: number) =>
  db.rows<Identity & { id: string }>(sql`
    SELECT external_id::text AS id, first_name, last_name, dob FROM patient WHERE practice_id = ${practice}`);

const listInsurances = (practice: number) =>
  db.rows<Coverage & { patient: string; insurance: string; rank: number; isCurrent: boolean }>(sql`
    SELECT p.external_id::text AS patient, i.external_id::text AS insurance, i.rank, i.member_id, i.group_id, i.carrier, i.start_date,
      i.end_date, i.deleted_date IS NULL AS "isCurrent"
    FROM patient_insurance i JOIN patient p ON p.id = i.patient_id WHERE p.practice_id = ${practice}`);

const listPolicies = (practice: number) =>
  db.rows<Coverage & { patient: string; insurance: string | null; rank: number | null; status: string }>(sql`
    SELECT p.external_id::text AS patient, i.external_id::text AS insurance, y.rank, y.member_id, y.group_id, y.carrier, y.start_date,
      y.end_date, y.status
    FROM policy y JOIN patient p ON p.id = y.patient_id LEFT JOIN patient_insurance i ON i.id = y.patient_insurance
    WHERE p.practice_id = ${practice}`);

const listImages = (practice: number) =>
  db.rows<{ patient: string; place: string; image_key: string }>(sql`
    SELECT p.external_id::text AS patient, 'card ' || c.rank || ' ' || c.side AS place, c.image_key
    FROM legacy_card c JOIN patient p ON p.id = c.patient_id WHERE p.practice_id = ${practice} AND c.ended_date IS NULL
    UNION ALL SELECT p.external_id::text, 'image of policy ' || i.external_id || ' ' || g.image_rank, g.image_key
    FROM policy_card_image g JOIN policy y ON y.id = g.policy_id JOIN patient p ON p.id = y.patient_id
      JOIN patient_insurance i ON i.id = y.patient_insurance
    WHERE p.practice_id = ${practice} AND g.to_version IS NULL`);
