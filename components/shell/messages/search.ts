/** Words that pages need before the code of the palette has loaded. */
export const paletteBox = {
  title: "Go to",
  placeholder: "Patient, page or action",
};

export const patientSearch = {
  searching: "Searching patients…",
  failed: (error: string) => `Couldn't search patients. ${error}`,
  /** The primary insurance of a match. */
  primary: (payer: string, memberId: string | null) => (memberId?.trim() ? `${payer} · ${memberId}` : payer),
  noInsurance: "No insurance",
  noPrimary: "No primary",
  /** There is a primary insurance, but its payer is missing. */
  noPayer: "Payer not entered",
};
