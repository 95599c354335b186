// Legacy exports of any size, the same on every machine: valid records, and some with a fault.

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { Dice, FEMALE, LAST, MALE } from "@/prisma/seed/people";

export const GENERATED_COMPANIES = [
  { id: 7000, carrier: "Northgate Assurance" },
  { id: 7001, carrier: "Granite Coast Mutual" },
  { id: 7002, carrier: "Bluewater Health Plan" },
];

type Fields = Record<string, unknown>;

const RANKS = ["primary", "secondary", "tertiary"];

/** Faults of a record, each with the code that reports it. */
const FAULTS: readonly [code: string, spoil: (patient: Fields, insurance: Fields) => void][] = [
  ["patient_dob_invalid", (patient) => Object.assign(patient, { dob: "1999-02-29" })],
  ["patient_identity_missing", (patient) => Object.assign(patient, { first_name: " " })],
  ["rank_unknown", (_, insurance) => Object.assign(insurance, { rank: "prime" })],
  ["member_id_missing", (_, insurance) => Object.assign(insurance, { member_id: null })],
  [
    "carrier_unmatched",
    (_, insurance) => Object.assign(insurance, { carrier: "Northgate Asurance", insurance_company: null }),
  ],
  ["decimal_invalid", (_, insurance) => Object.assign(insurance, { copay: "$20" })],
  ["date_order", (_, insurance) => Object.assign(insurance, { end_date: "2001-01-01" })],
  ["relationship_unknown", (_, insurance) => Object.assign(insurance, { relationship_to_insured: "Self" })],
];

/**
 * Generates patients with one to three current and some past insurances, until there are `insurances` current ones.
 *
 * @param options.faults the share of patients with a fault, 0 to 1
 */
export function* generatePatients(options: { insurances: number; faults?: number; seed?: number }): Generator<Fields> {
  const { insurances: wanted, faults = 0.02, seed = 1 } = options;
  const dice = new Dice(seed);
  let insuranceId = 1;
  for (let made = 0, id = 1; made < wanted; id++) {
    const count = Math.min(dice.pick([1, 1, 1, 1, 2, 2, 3]), wanted - made);
    const current = RANKS.slice(0, count).map((rank) => insurance(dice, insuranceId++, { rank }));
    const past =
      dice.roll() < 0.3
        ? [
            insurance(dice, insuranceId++, {
              rank: "primary",
              end_date: "2019-12-31",
              deleted_date: "2020-01-02T09:00:00Z",
            }),
          ]
        : [];
    const sex = dice.pick(["Female", "Male"]);
    const patient = {
      id,
      first_name: `${dice.pick(sex === "Female" ? FEMALE : MALE)} ${id}`,
      last_name: dice.pick(LAST),
      dob: `${dice.between(1930, 2020)}-${dice.pick(["01", "04", "07", "11"])}-${dice.pick(["03", "12", "28"])}`,
      sex,
      caregiver_practice: 1,
      primary_physician: 1,
      phones: [],
      emails: [],
      insurances: current,
      deleted_insurances: past,
      insurance_cards: [],
    };
    if (dice.roll() < faults) dice.pick(FAULTS)[1](patient, current[0] as Fields);
    made += count;
    yield patient;
  }
}

function insurance(dice: Dice, id: number, fields: Fields): Fields {
  const company = dice.pick(GENERATED_COMPANIES);
  return {
    id,
    carrier: company.carrier,
    insurance_company: company.id,
    insurance_plan: null,
    plan: "Employer Core",
    member_id: `M${dice.digits(9)}`,
    group_id: `G-${dice.digits(5)}`,
    copay: "20.00",
    deductible: "500.00",
    start_date: "2015-01-01",
    end_date: null,
    relationship_to_insured: null,
    payment_program: null,
    created_date: "2015-01-02T09:00:00Z",
    deleted_date: null,
    ...fields,
  };
}

/** Returns records as lines of JSON. */
export const toLines = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** Writes records to a file, one per line, as fast as the disk accepts them. @returns the number of records */
export async function writeNdjson(file: string, records: Iterable<Fields>): Promise<number> {
  const out = createWriteStream(file, { highWaterMark: 1024 * 1024 });
  let count = 0;
  let text = "";
  for (const record of records) {
    text += `${JSON.stringify(record)}\n`;
    count++;
    if (text.length < 1 << 20) continue;
    if (!out.write(text)) await once(out, "drain");
    text = "";
  }
  out.end(text);
  await once(out, "finish");
  return count;
}
