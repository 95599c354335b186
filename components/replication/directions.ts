/** The store that was changed (`from`) and the store that the change is applied to (`to`). */
export const DIRECTIONS = {
  policies_to_patients: { short: "Policies to legacy", from: "policies", to: "legacy records" },
  patients_to_policies: { short: "Legacy to policies", from: "legacy records", to: "policies" },
} as const;
