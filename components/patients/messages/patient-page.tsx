// A patient's page, with or without Insurance Versioning.
import type { ReactNode } from "react";

/** Titles of the browser's tabs. */
export const pageTitles = { patients: "Patients", patient: "Patient" };

export const patientPage = {
  print: "Print",
  addPolicy: "Add policy",
  born: (date: ReactNode) => <>Born {date}</>,
  id: (id: ReactNode) => <>Patient {id}</>,
  /** The patient's ID in the system that was migrated. */
  sourceId: (id: ReactNode) => <>Source ID {id}</>,
  /** What the buttons that copy an ID copy. */
  copyId: "patient ID",
  copySourceId: "source ID",
  /** Toasts when an admin has changed the setting while the page was open. */
  versioningOn: "Insurance Versioning was turned on for this practice. You now see policies with their history.",
  versioningOff: "Insurance Versioning was turned off for this practice. You now see insurance by priority.",
};
