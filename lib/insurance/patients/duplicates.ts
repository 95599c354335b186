import type { Row } from "@/lib/platform/db/rows";
import { type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { DuplicateError } from "@/lib/platform/errors";
import { rejectsDuplicates } from "@/lib/practice/practices/queries";
import type { PatientInput } from "./schema";

type Person = Pick<PatientInput, "caregiver_practice" | "first_name" | "last_name" | "dob" | "sex">;

/**
 * Requires that the practice has no patient with this name, date of birth and sex, unless its setting allows duplicates. Names match
 * regardless of case and spaces. Two requests that create the same patient wait for each other, so only one succeeds.
 *
 * @throws DuplicateError patient_exists
 */
export async function requireNewPatient(tx: Tx, person: Person): Promise<void> {
  const { caregiver_practice: practice, dob, sex } = person;
  const first = comparable(sql`${person.first_name}::text`);
  const last = comparable(sql`${person.last_name}::text`);
  const identity = sql`concat_ws('|', 'patient', ${practice}::bigint, ${dob}::date, ${sex}::text, ${first}, ${last})`;
  // One round trip: PostgreSQL looks for the patient once it has the lock. The index of birthdays leaves a few rows to compare.
  const [, existing] = await Promise.all([
    tx.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${identity}, 0))`),
    tx.first<Row<"patient", "id">>(sql`
      SELECT p.id FROM patient p
      WHERE p.practice_id = ${practice} AND p.dob = ${dob} AND p.sex = ${sex} AND p.deleted_date IS NULL
        AND ${comparable(sql`p.first_name`)} = ${first} AND ${comparable(sql`p.last_name`)} = ${last}
        AND ${rejectsDuplicates(practice)}
      ORDER BY p.id LIMIT 1`),
  ]);
  if (!existing) return;
  throw new DuplicateError(
    "patient_exists",
    "The practice already has a patient with this name, date of birth and sex. To create another, send ?allow_duplicate=true.",
    existing.id,
  );
}

/** Returns a name without its case and spaces. */
function comparable(name: Sql): Sql {
  return sql`lower(regexp_replace(${name}, '\\s', '', 'g'))`;
}
