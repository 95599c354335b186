/** The legacy words for ranks 1, 2 and 3. */
export const RANK_WORDS = ["primary", "secondary", "tertiary"] as const;
export type RankWord = (typeof RANK_WORDS)[number];
export type Rank = 1 | 2 | 3;

export function toRank(word: RankWord): Rank {
  return RANK_OF[word];
}

const RANK_OF: Record<RankWord, Rank> = { primary: 1, secondary: 2, tertiary: 3 };

export function toRankWord(rank: number): RankWord {
  const word = RANK_WORDS[rank - 1];
  if (!word) throw new RangeError(`no rank ${rank}`);
  return word;
}

/** All ranks. */
export const RANKS: readonly Rank[] = [1, 2, 3];
