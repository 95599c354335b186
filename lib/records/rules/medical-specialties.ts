import { z } from "zod";
import { reference, text, time } from "@/lib/records/engine/fields";

const medicalSpecialtyCategory = z.object({
  abbreviation: text(20).nullable().optional(),
  created_date: time.nullable().readonly().optional(),
  id: reference.readonly().optional(),
  name: text(100),
});

/** A specialty of a contact. */
export const medicalSpecialty = z.object({
  abbreviation: text(20),
  category: medicalSpecialtyCategory.optional(),
  created_date: time.nullable().readonly().optional(),
  id: reference.readonly().optional(),
  name: text(100),
  practice_created: reference.nullable().optional(),
});

type Specialty = z.output<typeof medicalSpecialty>;

/** Lists the specialties of a contact, the main one first. */
export function allSpecialties({
  specialty,
  other_specialties,
}: {
  specialty?: Specialty;
  other_specialties?: readonly Specialty[];
}): Specialty[] {
  return [...(specialty ? [specialty] : []), ...(other_specialties ?? [])];
}
