// Before each test file, and before it loads any module of lib: a database of its own and settings that point to it.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, inject } from "vitest";
import { cloneDatabase, withLoginOf } from "./databases";

const database = await cloneDatabase({ server: inject("server"), template: inject("template"), run: inject("run") });
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-test-"));

Object.assign(process.env, {
  NODE_ENV: "test",
  // What the product may not do must fail here, too: what only the owner may do, tests do by tests/support/owner.ts.
  DATABASE_URL: withLoginOf(inject("runtime"), database.url),
  SECRET_KEY: randomBytes(32).toString("base64url"),
  CROSSWALK_DATA_DIR: folder,
  IMAGE_STORE_DIR: path.join(folder, "images"),
  LOG_LEVEL: "silent",
  // Tests call faster than people do; the tests of these limits set their own.
  STAFF_RATE_LIMIT_PER_SECOND: "1000000",
  ADDRESS_RATE_LIMIT_PER_SECOND: "1000000",
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
});

const { chooseReaderProgram } = await import("@/lib/migration/commands/reader-program");
chooseReaderProgram(path.resolve("build/tests/read-export.mjs"));

// Registered first, so run last: after a file's own clean-ups.
afterAll(async () => {
  const { closePool } = await import("@/lib/db/pool");
  await closePool();
  const { closeOwner } = await import("./owner");
  await closeOwner();
  await database.drop();
  fs.rmSync(folder, { recursive: true, force: true });
});
