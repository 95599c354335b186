// A rank that another policy has: the buttons that take it, and the policy that moves or is archived.

/** Buttons that save a policy at a rank that another policy has. They say what happens to the other policy. */
export const takeRank = {
  add: {
    swap: (holder: string) => `Add and swap with ${holder}`,
    move: (holder: string, rank: string) => `Add and move ${holder} to ${rank}`,
    archive: (holder: string) => `Add and archive ${holder}`,
  },
  save: {
    swap: (holder: string) => `Save and swap with ${holder}`,
    move: (holder: string, rank: string) => `Save and move ${holder} to ${rank}`,
    archive: (holder: string) => `Save and archive ${holder}`,
  },
  restore: {
    swap: (holder: string) => `Restore and swap with ${holder}`,
    move: (holder: string, rank: string) => `Restore and move ${holder} to ${rank}`,
    archive: (holder: string) => `Restore and archive ${holder}`,
  },
};
