import type { ReactNode } from "react";
import { formatUtc, joinChanges } from "@/components/ui/change-message";
import { formatNumber, pluralize } from "@/components/ui/format";
import type { RecordChange } from "@/lib/access/history/queries";

/** The page of API clients. */
export const clientsPage = {
  title: "API clients",
  meta: "Programs that read and change this practice's records. Each has its own secret and access to the practices you choose.",
  add: "Register client",
  notRefreshed: "Couldn't refresh the list",
  empty: "No API clients yet",
  emptyHelp: "Register a client to get its client ID and secret.",
  history: "Change history",
  historyLabel: "API client changes",
  noHistory: "No changes yet",
  /** Names a client in the history, within a sentence, if its name is unknown. */
  unknownClient: "a former client",
};

/** A client in the list. */
export const clientCard = {
  clientId: "client ID",
  disabled: "Disabled",
  enabled: "Enabled",
  practices: "Practices",
  /** Ends the list of practices if the client has access to practices that the user doesn't. */
  otherPractices: "others",
  scopes: "Scopes",
  scopeCount: (count: number) => pluralize(count, "scope"),
  scopesOnRequest: "All scopes, or fewer if requested",
  allScopes: "All scopes",
  lastUsed: "Last used",
  neverUsed: "Never",
  tokens: "Tokens",
  tokenCounts: (valid: number, issued: number) =>
    `${formatNumber(valid)} valid, ${formatNumber(issued)} issued in the last 30 days`,
  calls: "Calls",
  callCount: (count: number) => `${formatNumber(count)} in the last 30 days, across all its practices`,
};

/** The menu of a client. */
export const clientMenu = {
  label: (client: string) => `Actions for ${client}`,
  change: "Edit client",
  rotate: "Rotate secret",
  disable: "Disable client",
  enable: "Enable client",
  remove: "Remove access to this practice",
};

/** The secrets of a client. */
export const clientSecrets = {
  title: "Active secrets",
  none: "No active secret. This client can't request tokens. To create a secret, rotate it.",
  created: (time: ReactNode) => <>Created {time}</>,
  /** Follows `created`. */
  expires: (time: ReactNode) => <>, expires {time}</>,
  revoke: "Revoke",
  revokeLabel: (secret: number, client: string) => `Revoke secret ${secret} of ${client}`,
};

/** The calls of a client. */
export const clientUse = {
  label: (client: string) => `Calls of ${client} for this practice`,
  practice: "This practice",
  days7: "7 days",
  days30: "30 days",
  legacy: "Legacy insurance calls",
  policies: "Policy calls",
};

/** Registers a client, or changes it. */
export const clientForm = {
  title: "Register API client",
  titleChange: (client: string) => `Edit ${client}`,
  submit: "Register client",
  submitChange: "Save client",
  failed: "Nothing was saved",
  name: "Name",
  nameHelp: "Shown in version histories and the audit log.",
  scopes: "Scopes",
  /** `apiv2` is the name of a scope. */
  everything: "All scopes (apiv2)",
  everythingHelp: "Access to every resource of the API. Required to subscribe to events.",
  selected: "Selected scopes only",
  selectedHelp: "Token requests must name scopes selected here. This client can't subscribe to events.",
  scoped: "Let each token request fewer scopes",
  scopedHelp: "Scoped tokens are in closed beta. If this is off, each token has full access.",
  changeHelp: "Removing a scope revokes the tokens that have it. Access to removed practices ends within seconds.",
  added: (client: string) => `${client} registered`,
  saved: (client: string) => `${client} saved`,
};

/** Shows the secret of a new client, or a rotated secret. */
export const clientSecretDialog = {
  title: "Save your client secret",
  description: "Store the client ID and secret in the program's configuration. The secret is shown only once.",
  clientId: "Client ID",
  clientSecret: "Client secret",
};

/** Picks scopes from a table. */
export const scopePicker = {
  legend: "Selected scopes",
  /** Follows the legend. */
  count: (selected: number, all: number) => `(${selected} of ${all})`,
  all: "All resources",
  /** Names the rows of `all` for screen readers, within a sentence. */
  allOf: "all resources",
  chosen: (count: number) => `${count} selected`,
  read: "Read",
  write: "Write",
  readOf: (resource: string) => `Read ${resource}`,
  writeOf: (resource: string) => `Write ${resource}`,
};

/** When a rotated secret expires. */
export const expiry = {
  label: "Old secret expires",
  help: "Until then, both secrets work. Tokens issued with the old secret expire with it.",
  now: "Immediately",
  hour: "In 1 hour",
  day: "In 1 day",
  week: "In 7 days",
  month: "In 30 days",
  full: "The client already has two active secrets. Revoke one first, or let the old one expire immediately.",
};

export const rotateDialog = {
  title: (client: string) => `Rotate ${client}'s secret?`,
  description: "Creates a second secret and shows it once. Both work until the old one expires.",
  label: "Rotate secret",
  done: (client: string) => `New secret created for ${client}`,
};

export const revokeDialog = {
  title: (client: string) => `Revoke a secret of ${client}?`,
  description: (tokens: number) =>
    `The secret and all tokens issued with it stop working within seconds. The client has ${pluralize(tokens, "valid token")} in total. This can't be undone.`,
  /** If it is the client's only secret. */
  descriptionLast: (tokens: number) =>
    `The secret and all tokens issued with it stop working within seconds. The client has ${pluralize(tokens, "valid token")} in total. This is its only secret, so the client is locked out until it gets a new one. This can't be undone.`,
  label: "Revoke secret",
  done: (client: string) => `Secret of ${client} revoked`,
};

export const disableDialog = {
  title: (client: string) => `Disable ${client}?`,
  description: (tokens: number) =>
    tokens === 1
      ? "Its valid token stops working within seconds. The client can't get tokens or receive events. You can enable it again."
      : `Its ${pluralize(tokens, "valid token")} stop working within seconds. The client can't get tokens or receive events. You can enable it again.`,
  label: "Disable client",
  done: (client: string) => `${client} disabled`,
};

export const enableDialog = {
  title: (client: string) => `Enable ${client}?`,
  description: "Its secrets and unexpired tokens work again.",
  label: "Enable client",
  done: (client: string) => `${client} enabled`,
};

export const removeDialog = {
  title: (client: string) => `Remove ${client}'s access to this practice?`,
  description:
    "It loses access to this practice within seconds and keeps its access to other practices. Only an admin who manages this client can restore access.",
  label: "Remove access",
  done: (client: string) => `${client} no longer has access to this practice`,
};

/**
 * Describes a change to an API client, to follow the name of its author: `renamed Billing to Claims`. `name` is the client's current
 * name.
 */
export function describeClientChange({ kind, changes }: RecordChange, name: string): string {
  if (kind === "created") return `registered ${name}`;
  const { disabled, practices, secret, old_secrets_end: end, allowed_scopes, scoped_tokens, name: renamed } = changes;
  return joinChanges(
    renamed && `renamed ${renamed.old} to ${renamed.new}`,
    disabled && `${disabled.new ? "disabled" : "enabled"} ${name}`,
    practices && `changed the practices of ${name}`,
    (allowed_scopes || scoped_tokens) && `changed the scopes of ${name}`,
    secret &&
      (secret.new === null
        ? `revoked a secret of ${name}`
        : `rotated the secret of ${name} (the old one expires ${formatUtc(end?.new)})`),
  );
}
