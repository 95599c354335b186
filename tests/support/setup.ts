// Before each test file, and before it loads any module of lib: creates an empty database and points the settings to
// it. Files that share a process share the other settings, and find them as in a new one.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, inject } from "vitest";
import { cloneDatabase, withLoginOf } from "./databases";

const shared = globalThis as { testSettings?: Record<string, string>; testEnvironment?: NodeJS.ProcessEnv };
// A process that an earlier file left running must not find the data of this one, so the name is new.
const database = await cloneDatabase({ server: inject("server"), template: inject("template"), run: inject("run") });
const folder =
  shared.testSettings?.CROSSWALK_DATA_DIR ?? path.join(os.tmpdir(), `crosswalk-test-${randomBytes(6).toString("hex")}`);
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder);

shared.testSettings ??= {
  NODE_ENV: "test",
  SECRET_KEY: randomBytes(32).toString("base64url"),
  CROSSWALK_DATA_DIR: folder,
  IMAGE_STORE_DIR: path.join(folder, "images"),
  LOG_LEVEL: "silent",
  // Tests call faster than clients and people do; tests of these limits set their own.
  RATE_LIMIT_PER_SECOND: "1000000",
  STAFF_RATE_LIMIT_PER_SECOND: "1000000",
  ADDRESS_RATE_LIMIT_PER_SECOND: "1000000",
  WEBHOOK_TEST_LIMIT: "1000000",
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
};
// Removes the settings of an earlier file.
shared.testEnvironment ??= { ...process.env };
for (const name of Object.keys(process.env).filter((name) => !Object.hasOwn(shared.testEnvironment ?? {}, name)))
  delete process.env[name];
Object.assign(process.env, shared.testEnvironment, shared.testSettings, {
  // What the product may not do must fail in tests as well; tests/support/owner.ts is for what only the owner may do.
  DATABASE_URL: withLoginOf(inject("runtime"), database.url),
});

const { forgetProcessState } = await import("./process-state");
// A timer left running by the previous file may have loaded its settings again.
await forgetProcessState();
const { chooseProgram } = await import("@/lib/platform/jobs/program-file");
for (const name of ["read-export", "render-ccda", "render-pdf"])
  chooseProgram(name, path.resolve(`build/programs/${name}.mjs`));

const { hashCheaply } = await import("./cheap-hashes");
hashCheaply();

// Registered first, so that it runs last, after a file's own cleanup.
afterAll(async () => {
  const { closeOwner } = await import("./owner");
  await closeOwner();
  const { setClock } = await import("@/lib/platform/clock");
  setClock();
  // The state belongs to the dropped database, whose IDs the next one reuses.
  await forgetProcessState();
  await database.drop();
  fs.rmSync(folder, { recursive: true, force: true });
});
