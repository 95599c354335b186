import { joinChanges } from "@/components/ui/change-message";
import type { RecordChange } from "@/lib/access/history/queries";
import type { StaffRole } from "@/lib/access/staff/roles";

/** Names of roles. */
export const roles: Record<StaffRole, string> = { admin: "Admin", staff: "Staff", viewer: "Viewer" };

/** The page of members. */
export const membersPage = {
  title: "Members",
  lead: "Admins manage settings, members and API clients. Staff edit patients' insurance. Viewers can only read.",
  add: "Add member",
  notRefreshed: "Couldn't refresh the list",
  empty: "No members yet",
  activity: "Member activity",
  activityLabel: "Member changes",
  noActivity: "No changes yet",
  /** Names a member in the history, within a sentence, if the name is unknown. */
  unknownMember: "a former member",
  /** Names the practice within a sentence, if its name is unknown. */
  thisPractice: "this practice",
};

export const memberColumn = {
  name: "Name",
  /** Follows the user's own name. */
  you: "(you)",
  role: "Role",
  practices: "Practices",
  /** Ends the list of practices if the member belongs to practices that the user doesn't. */
  otherPractices: "others",
  lastUsed: "Last used",
  neverUsed: "Never",
  status: "Status",
  disabled: "Disabled",
  enabled: "Enabled",
};

/** The menu of a member. */
export const memberMenu = {
  label: (member: string) => `Actions for ${member}`,
  change: "Edit member",
  password: "Reset password",
  disable: "Disable account",
  enable: "Enable account",
  remove: "Remove from practice",
};

/** Adds a member, or changes it. */
export const memberForm = {
  title: "Add member",
  titleChange: (member: string) => `Edit ${member}`,
  submit: "Add member",
  submitChange: "Save member",
  failed: "Nothing was saved",
  elsewhere: "Name and role can't be changed here",
  elsewhereHelp: (member: string) =>
    `${member} also belongs to practices that you don't manage, and has the same role in all of them.`,
  name: "Name",
  email: "Email",
  emailHelp: "Used to sign in.",
  role: "Role",
  roleHelp: "Applies in all of the member's practices. Takes effect immediately.",
  roles: {
    admin: "Admin: manages settings, members, events and API clients",
    staff: "Staff: edits patients' insurance",
    viewer: "Viewer: can only read",
  } satisfies Record<StaffRole, string>,
  canExport: "Can export data",
  canExportHelp: "Download patients, findings and reports as files. Admins always can.",
  alerts: "Send alerts by email",
  /** `SMTP_URL` is a setting of the server. */
  alertsHelp:
    "Sent when a webhook is paused or keeps failing, a migration run is ready for review, or the deadline is near. Requires an email server (SMTP_URL).",
  setPassword: "Set the initial password",
  setPasswordHelp: "If this is off, a password is generated and shown once.",
  password: "Password",
  passwordHelp: "At least 12 characters.",
  added: (member: string) => `${member} added`,
  saved: (member: string) => `${member} saved`,
};

/** Shows a generated password. */
export const passwordDialog = {
  title: "Save the password",
  description: "Give it to the member in person or over another secure channel. It is shown only once.",
  email: "Email",
  password: "Password",
};

export const resetPasswordDialog = {
  title: (member: string) => `Reset ${member}'s password?`,
  description:
    "The current password stops working, and the member is signed out everywhere. The new password is shown once.",
  label: "Reset password",
  done: (member: string) => `Password of ${member} reset`,
};

export const disableDialog = {
  title: (member: string) => `Disable ${member}'s account?`,
  description: (member: string) =>
    `${member} can't sign in anymore, and open sessions end with their next request. You can enable the account again.`,
  descriptionOwn:
    "You can't sign in anymore, and your open sessions end with their next request. Another admin can enable the account again.",
  label: "Disable account",
  done: (member: string) => `Account of ${member} disabled`,
};

export const enableDialog = {
  title: (member: string) => `Enable ${member}'s account?`,
  description: (member: string, role: StaffRole) =>
    `${member} can sign in again, with the role ${roles[role]} in the assigned practices.`,
  label: "Enable account",
  done: (member: string) => `Account of ${member} enabled`,
};

export const removeDialog = {
  title: (member: string, practice: string) => `Remove ${member} from ${practice}?`,
  description: (member: string) =>
    `${member} will lose access to this practice immediately. The history of changes is kept. You can add the member again.`,
  descriptionOwn:
    "You will lose access to this practice immediately. The history of changes is kept. Another admin can add you again.",
  label: "Remove from practice",
  done: (member: string, practice: string) => `${member} removed from ${practice}`,
};

/** Fields that only API clients set. */
const CLIENT_FIELDS = [
  "account_type",
  "credentialed",
  "has_chart_access",
  "last_name",
  "physician_qualifications",
  "user_type",
];

/**
 * Describes a change to a member, to follow the name of its author: `reset the password of Ada`. `name` is the member's current name.
 */
export function describeMemberChange({ kind, changes }: RecordChange, name: string): string {
  const {
    email,
    role,
    disabled,
    password,
    practices,
    name: renamed,
    can_export: exports,
    gets_alerts: alerts,
  } = changes;
  if (kind === "created") return `added ${name} as ${role?.new}`;
  if (email) return `added ${name} again as ${role?.new}`;
  return joinChanges(
    renamed && `renamed ${renamed.old} to ${renamed.new}`,
    role && `changed the role of ${name} from ${role.old} to ${role.new}`,
    alerts && `turned email alerts ${alerts.new ? "on" : "off"} for ${name}`,
    exports && (exports.new ? `allowed ${name} to export data` : `stopped ${name} from exporting data`),
    disabled && `${disabled.new ? "disabled" : "enabled"} ${name}`,
    practices && `changed the practices of ${name}`,
    CLIENT_FIELDS.some((field) => field in changes) && `changed the user details of ${name}`,
    password && `reset the password of ${name}`,
  );
}
