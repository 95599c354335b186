// npm run migrate -- deploy | status | check | new NAME
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main } from "./lib/lifetime.mjs";
import { say, UsageFailure } from "./lib/progress.mjs";
import { loadSettings } from "./lib/settings.mjs";

const USAGE = `Usage: npm run migrate -- COMMAND
  deploy    apply pending migrations, and give the server's role its rights
  status    list applied and pending ones
  check     compare the migrations with prisma/schema; what differs is shown, and the exit code is 1
  new NAME  write a migration for what changed in prisma/schema`;

/** The number of arguments of each command. */
const WORDS = new Map(Object.entries({ deploy: 0, status: 0, check: 0, new: 1 }));

const [command, ...words] = process.argv.slice(2);

await main(async () => {
  if (WORDS.get(command) !== words.length) throw new UsageFailure(USAGE);
  await install();
  loadSettings({ nodeEnv: "development" });
  const { migrate, openDatabase, warnOfRole } = await import("./lib/database.mjs");
  const database = await openDatabase();
  if (command === "deploy") {
    const { applied } = await migrate(database);
    await warnOfRole(database);
    return report(applied, "applied", "nothing to apply");
  }
  const { ownerUrl } = database;
  if (command === "status") return showStatus(ownerUrl);
  const { createMigration, diffMigrations } = await import("./lib/schema-engine.mjs");
  if (command === "new")
    return report([await createMigration(ownerUrl, words[0])].filter(Boolean), "written", "no changes");
  const difference = await diffMigrations(ownerUrl);
  say(difference ? `The migrations lack:\n${difference}` : "The migrations and prisma/schema agree.");
  return difference ? 1 : 0;
});

function report(names, done, nothing) {
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
