// npx crosswalk setup --organization NAME --practice NAME --admin EMAIL …: creates an organization with its first practice and admin.
// Exit codes: 0 created, 2 wrong usage, 3 failed, 130 stopped at the password.

import { systemOrigin } from "@/lib/access/identity/access";
import { parseOrThrow } from "@/lib/platform/http/validation";
import { requireNewOrganization, setUpOrganization } from "@/lib/practice/setup/commands";
import { organizationSetup } from "@/lib/practice/setup/schema";
import { namingOptions, readArguments, runProgram } from "./lib/command-line";
import { Output } from "./lib/output";
import { readNewPassword } from "./lib/read-password";

const USAGE =
  "Usage: npx crosswalk setup --organization NAME --practice NAME --admin EMAIL [--admin-name NAME] [--timezone ZONE] [--dry-run] [--json]";

const OPTIONS = {
  organization: { type: "string" },
  practice: { type: "string" },
  admin: { type: "string" },
  "admin-name": { type: "string" },
  timezone: { type: "string" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
} as const;

/** What the user knows the fields as. */
const NAMES = {
  organization: "--organization",
  practice: "--practice",
  timezone: "--timezone",
  email: "--admin",
  name: "--admin-name",
  password: "The password",
};
const STOPPED = 130;

const origin = systemOrigin({ name: "Command line", source: "staff", operation: "organizations.set_up" });

async function main(): Promise<number> {
  const { values } = readArguments({ usage: USAGE, options: OPTIONS });
  const { organization, practice, timezone, admin: email, "admin-name": name, "dry-run": dryRun = false } = values;
  const out = new Output(values.json ?? false);
  const input = { organization, practice, timezone, email, name };
  return namingOptions(NAMES, async () => {
    const given = parseOrThrow(organizationSetup.omit({ password: true }), input);
    // The transaction checks it again, but then the password has been typed.
    await requireNewOrganization(given.organization);
    const typed = await readNewPassword(`Password of ${given.email}`);
    if (typed === null) return STOPPED;
    const { password } = parseOrThrow(organizationSetup.pick({ password: true }), { password: typed });
    const created = await setUpOrganization({ ...given, password }, { origin, dryRun });
    const what = `${given.organization} with the practice ${given.practice} and the admin ${given.email}`;
    await out.print({ event: dryRun ? "checked" : "created", ...(dryRun ? {} : created) }, [
      dryRun ? `Dry run: nothing was created. The command would create ${what}.` : `Created ${what}.`,
      ...(dryRun ? [] : [`The ID of the practice is ${created.practice}.`]),
    ]);
    return 0;
  });
}

await runProgram(main, { failureCode: 3 });
