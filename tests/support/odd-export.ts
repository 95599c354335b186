// Exports that no system should send: every fault that the checks know, values of every wrong kind, and later changes
// of the same patients in the other system.
import { Dice } from "@/prisma/seed/people";
import { GENERATED_COMPANIES, generatePatients } from "./generated-export";
import { HOSTILE_INSURANCE, HOSTILE_PATIENT, writeNumbers } from "./hostile-records";

export type Fields = Record<string, unknown>;
type Insurance = Fields & { id: number; rank: string };

/** The parts of a generated record that stay the same through all changes. */
export interface Patient extends Fields {
  id: number;
  insurances: Insurance[];
  deleted_insurances: Insurance[];
  insurance_cards: Fields[];
}

/** A card image in base64, by number. */
export type Images = readonly string[];

const RANKS = ["primary", "secondary", "tertiary"];

/** Adds a fault to a patient, usually to one of its insurances. `others` are earlier records. */
type Spoil = (patient: Patient, insurance: Insurance, dice: Dice, context: { others: readonly Patient[] }) => void;

const set =
  (fields: Fields): Spoil =>
  (_, insurance) =>
    Object.assign(insurance, fields);
const setPatient =
  (fields: Fields): Spoil =>
  (patient) =>
    Object.assign(patient, fields);

/** Faults with a check code. */
const FAULTS: readonly Spoil[] = [
  setPatient({ first_name: "\t " }),
  setPatient({ last_name: null }),
  setPatient({ dob: "" }),
  setPatient({ dob: "5/17/1980" }),
  setPatient({ dob: "1980-02-30" }),
  setPatient({ dob: "2031-01-01" }),
  set({ rank: null }),
  set({ rank: "  " }),
  set({ rank: "1st" }),
  set({ rank: "quaternary" }),
  set({ rank: " Primary " }),
  set({ member_id: " " }),
  set({ carrier: " ", insurance_company: null }),
  set({ carrier: "Northgate Asurance", insurance_company: null }),
  set({ carrier: "Nobody Knows It", insurance_company: null }),
  set({ carrier: " granite coast mutual ", insurance_company: null }),
  set({ start_date: "2020-13-01" }),
  set({ start_date: "2020/1/5" }),
  set({ start_date: "2020-05-05", end_date: "2019-05-05" }),
  set({ end_date: "2024-12-31" }),
  set({ copay: "$20" }),
  set({ copay: 20 }),
  set({ copay: "." }),
  set({ copay: "-0" }),
  set({ deductible: "123456789.00" }),
  set({ deductible: "1,250.5" }),
  set({ member_id: "M".repeat(51) }),
  set({ state: "Maine" }),
  set({ plan: `Gold${" ".repeat(200)}` }),
  set({ relationship_to_insured: "Self" }),
  set({ relationship_to_insured: "Cousin" }),
  set({ relationship_to_insured: "Spouse", insured_person_first_name: " " }),
  set({ relationship_to_insured: " " }),
  ({ insurances }, _, dice) => {
    const last = insurances.at(-1) as Insurance;
    if (insurances.length < 3) insurances.push({ ...last, id: last.id + 5_000_000 + dice.between(0, 9) });
  },
  // An ID that an earlier record has, current or past.
  ({ insurances }, _, dice, { others }) => {
    const other = dice.pick(others);
    const taken = dice.pick([...other.insurances, ...other.deleted_insurances]);
    (insurances[0] as Insurance).id = taken.id;
  },
  (patient, _, dice, { others }) => {
    const other = dice.pick(others);
    const taken = dice.pick([...other.insurances, ...other.deleted_insurances]);
    patient.deleted_insurances.push({ ...taken, deleted_date: "2020-01-02T09:00:00Z" });
  },
  // The same person twice, and the same patient ID twice.
  (patient, _, dice, { others }) => {
    const { first_name, last_name, dob, sex } = dice.pick(others);
    Object.assign(patient, { first_name: String(first_name).toUpperCase(), last_name, dob, sex });
  },
  (patient, _, dice, { others }) => {
    patient.id = dice.pick(others).id;
  },
];

/** Values without a check code that exports contain anyway. */
const ODDITIES: readonly Spoil[] = [
  // Half of them on past insurances, if the patient has one.
  ...HOSTILE_INSURANCE.map(
    ([field, , value]): Spoil =>
      ({ deleted_insurances: past }, insurance, dice) => {
        const [spoilt = insurance] = dice.roll() < 0.5 ? past : [];
        Object.assign(spoilt, { [field]: value });
      },
  ),
  ...HOSTILE_PATIENT.map(([field, , value]) => setPatient({ [field]: value })),
  set({ insurance_company: 999 }),
  set({ insurance_company: "7000" }),
  set({ insurance_company: 0 }),
  set({ insurance_plan: 12 }),
  set({ copay: "huge" }),
  set({ insurance_company: "huge", carrier: null }),
  set({ payment_program: "Charity" }),
  set({ payment_program: " " }),
  set({ member_id: 12345 }),
  set({ member_id: "nul \u0000 within" }),
  set({ group_id: "half \ud83d" }),
  set({ group_id: "🩺 ümläut" }),
  set({ id: 0 }),
  set({ id: -3 }),
  set({ id: 1.5 }),
  set({ id: 9_007_199_254_740_992 }),
  set({ deleted_date: "2024-01-01T00:00:00Z" }),
  set({ created_date: "2099-01-01T00:00:00Z" }),
  set({ created_date: "2015-01-02T09:00:00" }),
  set({ created_date: null, start_date: null }),
  set({ start_date: "0000-01-01" }),
  set({ unheard_of: { deeply: ["nested"] } }),
  (_, insurance) => Object.assign(insurance, { id: String(insurance.id) }),
  (_, insurance) => Object.assign(insurance, { id: ` ${insurance.id - 1} ` }),
  (patient) => Object.assign(patient, { id: `P-${patient.id}` }),
  (patient) => Object.assign(patient, { id: String(patient.id) }),
  (patient) => Object.assign(patient, { id: `id\u0000${patient.id}` }),
  (patient, _, dice) => Object.assign(patient, { id: dice.digits(6_000) }),
  (patient) => Object.assign(patient, { id: null }),
  (patient) => Object.assign(patient, { "ke\u0000y": 1 }),
  setPatient({ insurances: null }),
  setPatient({ insurances: undefined, deleted_insurances: undefined, insurance_cards: undefined }),
  setPatient({ insurances: "none" }),
  setPatient({ insurances: {} }),
  setPatient({ insurances: [null, 5, "x", []] }),
  setPatient({ deleted_insurances: [[]] }),
  setPatient({ sex: "F" }),
  setPatient({ sex: null }),
  setPatient({ first_name: 7 }),
  setPatient({ first_name: " Zoë  Anne " }),
  setPatient({ middle_name: null }),
  setPatient({ ssn: "9".repeat(60) }),
  setPatient({ primary_physician: 4_040_404 }),
  setPatient({ deleted_date: "2024-01-01T00:00:00Z" }),
  setPatient({ phones: [{ phone: "(207) 555-0100", phone_type: "Home", deleted_date: "2024-01-01T00:00:00Z" }] }),
  setPatient({ phones: "none" }),
  setPatient({ emails: [{ email: "no address" }] }),
  setPatient({ created_date: "2099-01-01T00:00:00Z" }),
  (patient, insurance) =>
    patient.deleted_insurances.push({ ...insurance, id: insurance.id + 6_000_000, deleted_date: null }),
  (patient, insurance) =>
    patient.deleted_insurances.push({
      ...insurance,
      id: insurance.id + 6_000_000,
      deleted_date: "2014-01-01T00:00:00Z",
    }),
  (patient, insurance) =>
    patient.deleted_insurances.push({
      ...insurance,
      id: insurance.id + 6_000_000,
      end_date: "2020-01-01",
      deleted_date: null,
    }),
];

/** Lines that are not records. */
export const NO_RECORDS = ['{"id": 1, "first_name"', "[]", "7", '"text"', "null", '{"id": 3, "copay": 1e400}'];

/** Writes a line that JSON.stringify would not write. */
const asText = (patient: Patient) => writeNumbers(patient);

/** Generates records with many faults, and lines that are not records; some records have valid or broken cards. */
export function generateOddPatients(options: { records: number; seed: number; images: Images }): Patient[] {
  const { records, seed, images } = options;
  const dice = new Dice(seed);
  const patients: Patient[] = [];
  for (const record of generatePatients({ insurances: records * 3, faults: 0, seed })) {
    const patient = record as Patient;
    if (dice.roll() < 0.04) addCards(patient, dice, images);
    const faults = dice.pick([0, 0, 0, 0, 0, 1, 1, 2, 3]);
    for (let at = 0; patients.length > 0 && at < faults; at++) {
      const spoil = dice.pick(dice.roll() < 0.7 ? FAULTS : ODDITIES);
      if (!isWhole(patient)) break;
      const others = patients.filter(isWhole).slice(-50);
      if (others.length > 0) spoil(patient, dice.pick(patient.insurances), dice, { others });
    }
    patients.push(patient);
    if (patients.length === records) break;
  }
  return patients;
}

const isWhole = ({ insurances, deleted_insurances }: Patient) =>
  Array.isArray(insurances) &&
  insurances.length > 0 &&
  insurances.every((one) => one?.id) &&
  Array.isArray(deleted_insurances);

function addCards(patient: Patient, dice: Dice, images: Images): void {
  const image = (side: number) => ({ side, content_type: "image/png", base64_content: dice.pick(images) });
  const ranks = [1, 2, 3].filter(() => dice.roll() < 0.6);
  patient.insurance_cards = ranks.map((rank) => ({ rank, images: [1, 2].slice(dice.between(0, 1)).map(image) }));
  const broken = dice.roll();
  if (broken < 0.1) patient.insurance_cards.push({ rank: 1, images: [{ side: 1, base64_content: "bm8gaW1hZ2U=" }] });
  else if (broken < 0.2) patient.insurance_cards.push({ rank: dice.pick([0, 4, "1", null]), images: [image(1)] });
  else if (broken < 0.3) patient.insurance_cards = [{ rank: 1, images: [image(1), image(1)] }];
  else if (broken < 0.4) patient.insurance_cards = [1, 2].map((side) => ({ rank: 1, images: [image(side)] }));
  else if (broken < 0.5) patient.insurance_cards = [{ rank: 1, images: [{ ...image(1), side: 11 }] }];
}

type Change = (patient: Patient, dice: Dice, ids: { next: () => number; images: Images }) => void;

const newInsurance = (dice: Dice, id: number, rank: string): Insurance => ({
  id,
  rank,
  carrier: "Bluewater Health Plan",
  insurance_company: dice.pick([7002, 7003]),
  member_id: `N${id}`,
  group_id: null,
  copay: "15",
  deductible: "",
  start_date: "2025-01-01",
  end_date: null,
  created_date: null,
});

const freeRanks = ({ insurances }: Patient) =>
  RANKS.filter((rank) => !insurances.some((one) => String(one.rank).trim().toLowerCase() === rank));

const shuffled = <T>(list: readonly T[], dice: Dice): T[] =>
  list
    .map((one) => ({ one, at: dice.roll() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);

/** Changes the cards: other ones, and swapped ranks. */
const CARD_CHANGES: readonly Change[] = [
  (patient, dice, { images }) => addCards(patient, dice, images),
  (patient, dice, { images }) => {
    addCards(patient, dice, images);
    const ranks = shuffled(RANKS, dice);
    for (const [at, insurance] of patient.insurances.entries()) insurance.rank = ranks[at] as string;
  },
];

/** What happens to a valid patient in the other system between two exports. */
const CHANGES: readonly Change[] = [
  ({ insurances }, dice) => Object.assign(dice.pick(insurances), { member_id: `C${dice.digits(6)}`, copay: "7.5" }),
  ({ insurances }, dice) => Object.assign(dice.pick(insurances), { insurance_company: 7003, carrier: "Harborlight" }),
  ({ insurances }, dice) =>
    Object.assign(dice.pick(insurances), { insurance_company: null, carrier: "Granite Coast Mutual" }),
  ({ insurances }, dice) => Object.assign(dice.pick(insurances), { copay: "20", deductible: "0500" }),
  ({ insurances }, dice) => Object.assign(dice.pick(insurances), { end_date: "2025-06-30", plan: " " }),
  (patient, dice, { next }) => {
    const [rank] = freeRanks(patient);
    if (rank) patient.insurances.push(newInsurance(dice, next(), rank));
  },
  // Terminated with or without a date; its rank is free or reused.
  (patient, dice, { next }) => {
    const ended = patient.insurances.splice(dice.between(0, patient.insurances.length - 1), 1)[0] as Insurance;
    const dates = dice.pick([{ deleted_date: "2025-05-05T05:00:00Z" }, { deleted_date: null, end_date: "2025-05-05" }]);
    patient.deleted_insurances.push({ ...ended, ...dates });
    if (dice.roll() < 0.5) patient.insurances.push(newInsurance(dice, next(), ended.rank));
  },
  (patient, dice, { next }) => {
    const [gone] = patient.insurances.splice(dice.between(0, patient.insurances.length - 1), 1);
    if (gone && dice.roll() < 0.5) patient.insurances.push(newInsurance(dice, next(), gone.rank));
  },
  ({ insurances }, dice) => {
    const ranks = shuffled(RANKS, dice);
    for (const [at, insurance] of insurances.entries()) insurance.rank = ranks[at] as string;
  },
  ...CARD_CHANGES,
  (patient, dice, { next }) =>
    patient.deleted_insurances.push({
      ...newInsurance(dice, next(), "secondary"),
      start_date: "2010-01-01",
      end_date: "2012-01-01",
      deleted_date: dice.pick(["2012-01-01T00:00:00Z", null]),
    }),
  (patient) => {
    const revived = patient.deleted_insurances.pop();
    const [rank] = freeRanks(patient);
    if (revived && rank) patient.insurances.push({ ...revived, rank, deleted_date: null });
  },
  (patient) => {
    patient.deleted_insurances = [];
  },
  (patient) => Object.assign(patient, { first_name: ` ${String(patient.first_name).toUpperCase()} ` }),
  (patient) => Object.assign(patient, { last_name: "Another-Person" }),
];

const isSound = (patient: Patient) =>
  isWhole(patient) && patient.insurances.every((one) => typeof one.id === "number" && RANKS.includes(one.rank));

/** Changes patients as in a later export: many unchanged, others changed, some removed, some new. */
export function changeExport(patients: readonly Patient[], options: { seed: number; images: Images }): Patient[] {
  const dice = new Dice(options.seed + 1);
  let id = 8_000_000;
  const context = { next: () => id++, images: options.images };
  const later: Patient[] = [];
  for (const patient of patients) {
    if (dice.roll() < 0.03) continue;
    const copy = JSON.parse(JSON.stringify(patient)) as Patient;
    const hasCards = copy.insurance_cards?.length > 0;
    const changes = isSound(copy) ? dice.pick(hasCards ? [1, 2, 3, 4] : [0, 1, 1, 2, 3]) : 0;
    for (let at = 0; at < changes && copy.insurances.length > 0; at++) {
      dice.pick(hasCards && dice.roll() < 0.5 ? CARD_CHANGES : CHANGES)(copy, dice, context);
    }
    later.push(copy);
  }
  return later;
}

/** Lists the lines of a file: records, and some lines that are not records. */
export function linesOf(patients: readonly Patient[]): string[] {
  const every = Math.ceil(patients.length / NO_RECORDS.length);
  return patients.flatMap((patient, at) =>
    at % every === 1 ? [NO_RECORDS[Math.floor(at / every)] as string, asText(patient)] : [asText(patient)],
  );
}

export const LATER_COMPANIES = [...GENERATED_COMPANIES, { id: 7003, carrier: "Harborlight Health" }];
