// Invented patients, the same on every machine.
import type { PatientInput } from "@/lib/insurance/patients/schema";

/** Generates the same random numbers on every run (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 up to but not including 1. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns an integer, both bounds included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.roll() * (max - min + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)] as T;
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => this.between(0, 9)).join("");
  }
}

export const FEMALE = (
  "Elowen Marisol Henrike Odalys Tamsin Wrenna Calliope Ingrith Zahra Nerys Philippa Solveig Amrita Briony Cosima " +
  "Delphine Esmé Fenna Ginevra Halcyon Ilse Juno Kerensa Lucasta Minh-Anh Noor Ottilie Perpetua Rosalba Sunniva"
).split(" ");
export const MALE = (
  "Ambrose Bastian Caspar Dashiell Emeric Florian Gethin Hamish Idris Jorah Kelvin Leopold Matthis Nikhil Osric " +
  "Percival Quillon Ruairi Stellan Tiernan Ulric Viggo Wendell Xander Yannick Zebedee Anselm Benedikt Corentin Dov"
).split(" ");
export const LAST = (
  "Abernethy-Cole Bellweather Castellano-Ruiz Dunmorrow Eastlake Farrowby Gallowhill Hartsock Inglethorpe Jessamine " +
  "Kettlewell Lanternby Merriwold Nakagome Oakhollow Pemberwick Quillfeather Ravensworth Saltmarsh Thistledown Umberleigh " +
  "Vandersloot Wintergale Yellowlees Zamoyski Ashgrove Brackenridge Coldwater Drinkwater Eversleigh Fennimore Greatorex " +
  "Hollingbourne Ironmonger Kingsnorth Larkspur Mossgrove Nightingall Okonjo-Bright Penhallow"
).split(" ");
export const STREETS = [
  "Alder Lane",
  "Bayview Road",
  "Chandlery Way",
  "Dogwood Close",
  "Elm Street",
  "Foundry Row",
  "Gull Point",
];
export const TOWNS = [
  ["Camden", "04843"],
  ["Rockport", "04856"],
  ["Rockland", "04841"],
  ["Belfast", "04915"],
  ["Thomaston", "04861"],
] as const;

export type Person = Omit<PatientInput, "caregiver_practice" | "primary_physician" | "insurances">;

/** Returns a patient whose age in 2025 is between the bounds. */
export function inventPerson(dice: Dice, age: { from: number; to: number }): Person {
  const sex = dice.roll() < 0.51 ? "Female" : "Male";
  const first_name = dice.pick(sex === "Female" ? FEMALE : MALE);
  const last_name = dice.pick(LAST);
  const [city, zip] = dice.pick(TOWNS);
  const two = (value: number) => String(value).padStart(2, "0");
  const year = 2025 - dice.between(age.from, age.to);
  const mailbox = `${first_name}.${last_name}`
    .normalize("NFKD")
    .replace(/[^a-z.-]/giu, "")
    .toLowerCase();
  return {
    first_name,
    last_name,
    middle_name: dice.roll() < 0.25 ? dice.pick(sex === "Female" ? FEMALE : MALE) : "",
    dob: `${year}-${two(dice.between(1, 12))}-${two(dice.between(1, 28))}`,
    sex,
    address: {
      address_line1: `${dice.between(2, 240)} ${dice.pick(STREETS)}`,
      address_line2: dice.roll() < 0.2 ? `Apt ${dice.between(1, 30)}` : null,
      city,
      state: "ME",
      zip,
    },
    // 555-01xx is reserved for fiction and example.org for examples. No social security number starts with 9.
    phones: [{ phone: `207-555-01${dice.digits(2)}`, phone_type: dice.pick(["Mobile", "Home"] as const) }],
    emails: [{ email: `${mailbox}@example.org` }],
    ssn: `9${dice.digits(8)}`,
    preferred_language: "English",
  };
}
