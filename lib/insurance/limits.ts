/**
 * What the contract's `Insurance` allows in a field, apart from the schema that checks it: pages show it without loading
 * the schema.
 */

export const PAYMENT_PROGRAMS = [
  "Commercial - HMSA",
  "Commercial - Other",
  "Commercial - SFHP",
  "Medicaid",
  "Medicare Advantage",
  "Medicare Part B",
  "Worker's Compensation",
] as const;

export const RELATIONSHIPS = ["Child", "Other", "Spouse"] as const;

/** Most characters of each text field. */
export const TEXT_LIMITS = {
  carrier: 200,
  plan: 200,
  member_id: 50,
  group_id: 50,
  insured_person_first_name: 200,
  insured_person_last_name: 200,
  insured_person_dob: 50,
  insured_person_gender: 1,
  insured_person_ssn: 11,
  insured_person_id: 50,
  insured_person_address: 200,
  insured_person_city: 50,
  insured_person_state: 2,
  insured_person_zip: 10,
  address: 200,
  suite: 35,
  city: 50,
  state: 2,
  zip: 10,
  phone: 20,
  extension: 6,
} as const;
