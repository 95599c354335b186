/** Notes on the card of a policy. */
export const cardNotes = {
  title: "Notes",
  more: (count: number) => `${count} more on the policy page`,
};
