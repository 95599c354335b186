/** The number of versions in a block, which are loaded together. */
export const BLOCK_SIZE = 50;

/** Returns the query key of a block of versions. Only the newest block changes, with each new version. */
export function blockKey(policy: number, block: number, newest: number) {
  return ["policy-versions", policy, block, Math.min(newest, (block + 1) * BLOCK_SIZE)] as const;
}

export const versionKey = (policy: number, version: number) => ["policy-version", policy, version] as const;
