/** Replaces the secret of a subscription. Loads after the page. */
export const rotateSecretDialog = {
  title: (client: string) => `Rotate the signing secret for ${client}?`,
  description: (target: string) =>
    `Creates a new secret for webhooks to ${target} and shows it once. Until the old secret expires, each webhook is signed with both.`,
  submit: "Rotate secret",
  expiry: "Old secret expires",
  expiryHelp: "Choose a time by which the receiver has the new secret. If the old one leaked, choose Immediately.",
  now: "Immediately",
  hour: "In 1 hour",
  day: "In 1 day",
  week: "In 7 days",
};

/** Shows the new secret once. */
export const signingSecretDialog = {
  title: "Save the signing secret",
  description: "Store it in the configuration of the program that receives these webhooks. It is shown only once.",
  endpoint: "Endpoint",
  secret: "Signing secret",
};
