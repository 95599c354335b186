// Pages that replace those of a policy.

/** In a practice without Insurance Versioning. */
export const versioningOff = {
  heading: "Policy",
  title: "This practice uses legacy insurance records",
  text: "Insurance Versioning is off, so policy pages are not available. The history of policies is kept and is shown again when an admin turns Insurance Versioning on.",
  action: "Open the patient's insurance",
};

/** After the policy was deleted permanently. */
export const policyDeleted = {
  heading: "Policy",
  title: "This policy was deleted permanently",
  text: "Its history and card images were deleted with it. The audit log shows who deleted it, when and why.",
  action: "Open the patient",
};
