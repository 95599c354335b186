// What clients of the legacy API see of a patient's insurance, beside the policies.
import type { ReactNode } from "react";
import { pluralize } from "@/components/ui/format";

export const legacyView = {
  title: "Legacy view",
  ended: (date: ReactNode) => (
    <>
      Nothing to show. The practice's deadline of {date} has passed, so the patient record no longer contains insurance.
      API clients get policies only.
    </>
  ),
  endsOn: (date: ReactNode) => (
    <>
      API clients read and write this insurance in the patient record. It stays in sync with the policies. The legacy
      API ends on {date}.
    </>
  ),
  deprecatedOn: (date: ReactNode) => (
    <>
      API clients read and write this insurance in the patient record. It stays in sync with the policies. The legacy
      API is deprecated as of {date}.
    </>
  ),
  /** No insurance of this rank. */
  none: "none",
  noPayer: "No payer",
};

/** Labels of details. */
export const legacyDetails = {
  id: "ID",
  copyId: "insurance ID",
  memberId: "Member ID",
  groupNumber: "Group number",
  effective: "Effective",
  copay: "Copay",
  cards: "Card images",
  images: (count: number) => pluralize(count, "image"),
};
