// Values and limits of the contract's `Insurance`. Pages can import them without loading the schema.

/** All ranks: primary, secondary and tertiary coverage. */
export const RANKS = [1, 2, 3] as const;
export type Rank = (typeof RANKS)[number];

/** The legacy words for the ranks. */
export const RANK_WORDS = ["primary", "secondary", "tertiary"] as const;
export type RankWord = (typeof RANK_WORDS)[number];

const RANK_OF: Record<RankWord, Rank> = { primary: 1, secondary: 2, tertiary: 3 };

export function toRank(word: RankWord): Rank {
  return RANK_OF[word];
}

export function toRankWord(rank: number): RankWord {
  const word = RANK_WORDS[rank - 1];
  if (!word) throw new RangeError(`no rank ${rank}`);
  return word;
}

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

/**
 * An amount: at most 8 digits before the point and 2 after it, and at least one digit. The specification's pattern also
 * matches `-`, `.` and `-.`, which are not numbers (ADR 0151).
 */
export const AMOUNT = decimalPattern(8, 2);

/** Returns a pattern for decimals with at least one digit and at most this many before and after the point. */
export function decimalPattern(before: number, after: number): RegExp {
  return new RegExp(`^-?(?:\\d{1,${before}}(?:\\.\\d{0,${after}})?|\\.\\d{1,${after}})$`);
}

/** Counts the characters of a string: Unicode code points, like JSON Schema's `maxLength` and PostgreSQL. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Maximum number of characters of each text field. */
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
