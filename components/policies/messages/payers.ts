// The fields for a payer and a plan: selected from a list, or typed.

export const payerFields = {
  selectPayer: "Select a payer",
  selectPlan: "Select a plan",
  payerId: (id: string) => `Payer ID ${id}`,
  payerHelp: "Select a payer from the practice's list, or type any name.",
  payerListed: "From the practice's payer list",
  payerTyped: "Saved as typed. Not in the practice's payer list.",
  planListed: "From the payer's plan list",
  planTyped: "Saved as typed. Not in the payer's plan list.",
  payerRequired: "Select a payer, or type its name.",
  copyAddress: (payer: string) => `Use ${payer}'s address`,
  /** Toast with an Undo button. */
  addressUsed: (payer: string) => `Claims address filled in from ${payer}`,
};
