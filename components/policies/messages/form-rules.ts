// Errors of fields that the form finds before it saves.

export const formRules = {
  endBeforeStart: "Termination date is before the effective date.",
};
