// npm run migrate -- deploy | status | check | new NAME
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main } from "./lib/lifetime.mjs";
import { say, UsageFailure } from "./lib/progress.mjs";
import { loadSettings } from "./lib/settings.mjs";

const USAGE = `Usage: npm run migrate -- COMMAND
  deploy    apply pending migrations and grant the server's role its permissions
  status    list applied and pending migrations
  check     compare the migrations with prisma/schema; prints the differences and exits with 1 if there are any
  new NAME  write a migration for the changes of prisma/schema`;

/** The number of arguments of each command. */
const ARGUMENT_COUNTS = new Map(Object.entries({ deploy: 0, status: 0, check: 0, new: 1 }));

const [command, ...args] = process.argv.slice(2);

await main(async () => {
  if (ARGUMENT_COUNTS.get(command) !== args.length) throw new UsageFailure(USAGE);
  await install();
  loadSettings({ nodeEnv: "development", keepsSecret: false });
  const { migrate, openDatabase, warnOfRole } = await import("./lib/database.mjs");
  const database = await openDatabase();
  if (command === "deploy") {
    const { applied } = await migrate(database);
    await warnOfRole(database);
    return printNames(applied, "applied", "nothing to apply");
  }
  const { ownerUrl } = database;
  if (command === "status") return showStatus(ownerUrl);
  const { createMigration, diffMigrations } = await import("./lib/schema-engine.mjs");
  if (command === "new")
    return printNames([await createMigration(ownerUrl, args[0])].filter(Boolean), "written", "no changes");
  const difference = await diffMigrations(ownerUrl);
  say(difference ? `The migrations lack:\n${difference}` : "The migrations and prisma/schema agree.");
  return difference ? 1 : 0;
});

function printNames(names, done, nothing) {
  say(names.length > 0 ? names.map((migration) => `${done} ${migration}`).join("\n") : nothing);
  return 0;
}

async function showStatus(url) {
  const { status } = await import("./lib/migrations.mjs");
  const { done, pending, warnings } = await status(url);
  for (const migration of done) say(`applied  ${migration.name}`);
  for (const migration of pending) say(`pending  ${migration.name}`);
  for (const warning of warnings) say(`! ${warning}`);
  return 0;
}
