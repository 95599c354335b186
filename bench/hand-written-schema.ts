// JSON schemas of the hand-written server. Fastify validates bodies with them (Ajv) and serializes responses.

const text = (maxLength: number) => ({ type: ["string", "null"], maxLength });
const date = { type: ["string", "null"], format: "date" };
const amount = { type: ["string", "null"], pattern: "^-?\\d{0,8}(?:\\.\\d{0,2})?$" };
const reference = { type: ["integer", "null"], minimum: 1 };

const insurance = {
  carrier: text(200),
  insurance_company: reference,
  plan: text(200),
  insurance_plan: reference,
  member_id: text(50),
  group_id: text(50),
  copay: amount,
  deductible: amount,
  start_date: date,
  end_date: date,
  payment_program: {
    enum: [
      "Commercial - HMSA",
      "Commercial - Other",
      "Commercial - SFHP",
      "Medicaid",
      "Medicare Advantage",
      "Medicare Part B",
      "Worker's Compensation",
      null,
    ],
  },
  relationship_to_insured: { enum: ["Child", "Other", "Spouse", null] },
  insured_person_first_name: text(200),
  insured_person_last_name: text(200),
  insured_person_dob: text(50),
  insured_person_gender: text(1),
  insured_person_ssn: text(11),
  insured_person_id: text(50),
  insured_person_address: text(200),
  insured_person_city: text(50),
  insured_person_state: text(2),
  insured_person_zip: text(10),
  address: text(200),
  suite: text(35),
  city: text(50),
  state: text(2),
  zip: text(10),
  phone: text(20),
  extension: text(6),
};

export const INSURANCE_COLUMNS = Object.keys(insurance);

export const policyBody = {
  type: "object",
  additionalProperties: false,
  required: ["patient_first_name", "patient_last_name", "patient_dob"],
  properties: {
    patient_first_name: { type: "string", minLength: 1, maxLength: 70 },
    patient_last_name: { type: "string", minLength: 1, maxLength: 70 },
    patient_dob: { type: "string", format: "date" },
    rank: { enum: [1, 2, 3, null] },
    ...insurance,
  },
};

const nullableText = { type: ["string", "null"] };
const nullableInteger = { type: ["integer", "null"] };
const integers = new Set(["insurance_company", "insurance_plan"]);
const imageSummary = {
  image_rank: { type: "integer" },
  content_type: { type: "string" },
  bytes: { type: "integer" },
  created_date: { type: "string" },
};

export const policyResponse = {
  type: "object",
  properties: {
    id: { type: "integer" },
    patient: { type: "integer" },
    practice: { type: "integer" },
    status: { type: "string" },
    version: { type: "integer" },
    rank: nullableInteger,
    patient_first_name: { type: "string" },
    patient_last_name: { type: "string" },
    patient_dob: { type: "string" },
    ...Object.fromEntries(INSURANCE_COLUMNS.map((name) => [name, integers.has(name) ? nullableInteger : nullableText])),
    patient_insurance: { type: "integer" },
    card_images: { type: "array", items: { type: "object", properties: imageSummary } },
    created_date: { type: "string" },
    modified_date: { type: "string" },
    archived_date: nullableText,
    archive_reason: nullableText,
  },
};

export const listResponse = {
  type: "object",
  properties: {
    count: { type: "integer" },
    next: nullableText,
    previous: nullableText,
    results: { type: "array", items: policyResponse },
  },
};

export const cardImageResponse = {
  type: "object",
  properties: {
    ...imageSummary,
    width: { type: "integer" },
    height: { type: "integer" },
    sha256: { type: "string" },
    url: { type: "string" },
    ttl: { type: "integer" },
  },
};

export const tokenBody = {
  type: "object",
  required: ["grant_type", "client_id", "client_secret"],
  properties: {
    grant_type: { const: "client_credentials" },
    client_id: { type: "string", minLength: 1 },
    client_secret: { type: "string", minLength: 1 },
    scope: { type: "string" },
  },
};

export const tokenResponse = {
  type: "object",
  properties: {
    access_token: { type: "string" },
    token_type: { type: "string" },
    expires_in: { type: "integer" },
    scope: { type: "string" },
  },
};

const id = { type: "string", pattern: "^\\d{1,16}$" };
export const patientParams = { type: "object", properties: { id } };
export const policyParams = { type: "object", properties: { id, policy_id: id } };
