// What staff need of a policy while the patient is at the counter.
import type { ReactNode } from "react";

/** Labels of details, and what the buttons that copy them copy. */
export const counterDetails = {
  none: "No member ID, group number or dates on file",
  memberId: "Member ID",
  copyMemberId: "member ID",
  groupNumber: "Group number",
  copyGroupNumber: "group number",
  phone: "Payer phone",
  copyPhone: "phone",
  phoneWithExtension: (phone: string, extension: string) => `${phone} ext. ${extension}`,
  copay: "Copay",
  /** Before the dates of coverage. */
  effective: "Effective",
};

/** Whether an active policy covers the patient today. */
export const termStatus = {
  active: "Active",
  ended: "Coverage ended",
  notYetEffective: "Not yet effective",
  inactivePerPayer: "Inactive per payer",
};

/** The dates between which a policy is effective. */
export const coverageDates = {
  until: (end: ReactNode) => <>Until {end}</>,
  range: (start: ReactNode, end: ReactNode) => (
    <>
      {start} – {end}
    </>
  ),
  since: (start: ReactNode) => <>{start} – present</>,
};
