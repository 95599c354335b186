/** Where a policy is. */
export interface PolicyPlace {
  practice: number;
  patient: number;
  policy: number;
}

/** Versions are loaded in blocks of so many, by their numbers. */
export const BLOCK = 50;

/** A block is complete but for the newest one, which is another each time there is a new version. */
export function blockKey(policy: number, block: number, newest: number) {
  return ["policy-versions", policy, block, Math.min(newest, (block + 1) * BLOCK)] as const;
}

export const versionKey = (policy: number, version: number) => ["policy-version", policy, version] as const;
