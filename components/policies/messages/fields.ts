// Names of a policy's fields, ranks and codes. They are the same wherever a policy or its history is shown.

/** Headings of groups of fields. */
export const fieldGroups = {
  plan: "Plan",
  member: "Member",
  coverage: "Coverage and cost share",
  subscriber: "Subscriber",
  claimsAddress: "Claims address",
};

/** Labels of fields, by their name in the API. */
export const fieldLabels = {
  rank: "Rank",
  carrier: "Payer",
  insurance_company: "Payer",
  plan: "Plan",
  insurance_plan: "Plan",
  payment_program: "Payment program",
  member_id: "Member ID",
  group_id: "Group number",
  relationship_to_insured: "Patient's relationship to subscriber",
  start_date: "Effective date",
  end_date: "Termination date",
  copay: "Copay",
  deductible: "Deductible",
  insured_person_first_name: "Subscriber first name",
  insured_person_last_name: "Subscriber last name",
  insured_person_dob: "Subscriber date of birth",
  insured_person_gender: "Subscriber gender",
  insured_person_id: "Subscriber ID",
  insured_person_ssn: "Subscriber SSN",
  insured_person_address: "Subscriber address",
  insured_person_city: "Subscriber city",
  insured_person_state: "Subscriber state",
  insured_person_zip: "Subscriber ZIP code",
  address: "Address",
  suite: "Suite",
  city: "City",
  state: "State",
  zip: "ZIP code",
  phone: "Phone",
  extension: "Extension",
};

/** Genders, by their code. */
export const genders = {
  F: "Female",
  M: "Male",
  X: "Another gender",
  U: "Unknown",
};

/** Ranks of coverage. Use `label` by itself, and `phrase` within a sentence. */
export const ranks = {
  label: ["Primary", "Secondary", "Tertiary"],
  noneLabel: "No rank",
  phrase: ["primary", "secondary", "tertiary"],
  nonePhrase: "no rank",
};

/** Names a policy that has neither a payer nor a plan. */
export const unnamedPolicy = (id: number) => `Policy ${id}`;

/** Interfaces through which a change was made, by the code of the API. Shown after the name of who made it. */
export const changeSources = {
  policies_api: "policies API",
  legacy_api: "legacy patient API",
  staff: "Crosswalk",
  migration: "migration",
  api: "API",
  seed: "demo data",
};

/** Why a policy was archived, by the reason of the API. Shown after "Archived:", after a person's name, or by itself. */
export const archiveReasons = {
  archived_on_request: "on request",
  absent_from_legacy_update: "left out of a legacy update",
  replaced_by_legacy_update: "a legacy update replaced all insurance",
  legacy_insurances_emptied: "a legacy update removed all insurance",
  imported_history: "ended before it was imported",
};

/** Why a policy was archived, if another policy took its rank. */
export const replaced = {
  withRank: (rank: string) => `replaced as ${rank}`,
  withoutRank: "replaced by another policy",
};

/** A patient's name, in running text and in lists and breadcrumbs. */
export const patientNames = {
  full: (first: string, last: string) => `${first} ${last}`,
  listed: (first: string, last: string) => `${last}, ${first}`,
};

/** Breadcrumbs above the title of a page. */
export const breadcrumbs = {
  patients: "Patients",
  patient: "Patient",
};
