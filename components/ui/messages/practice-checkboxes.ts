/** Selects practices in a dialog, which loads after its page. */
export const practiceCheckboxes = {
  legend: "Practices",
  /** About the practice of the current page. */
  always: "This practice is always included.",
};
