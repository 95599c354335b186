// A masked SSN with a button that shows it. `label` is the label of its field.

export const ssn = {
  show: (label: string) => `Show ${label} (viewing is logged)`,
  hide: (label: string) => `Hide ${label}`,
  failed: (reason: string) => `Couldn't show the SSN. ${reason}`,
};
