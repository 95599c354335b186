// Before each test file, and before it loads any module of lib: a database of its own and settings that point to it.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, inject } from "vitest";
import { cloneDatabase } from "./databases";

const database = await cloneDatabase({ server: inject("server"), template: inject("template"), run: inject("run") });
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-test-"));

Object.assign(process.env, {
  NODE_ENV: "test",
  DATABASE_URL: database.url,
  SECRET_KEY: randomBytes(32).toString("base64url"),
  CROSSWALK_DATA_DIR: folder,
  IMAGE_STORE_DIR: path.join(folder, "images"),
  LOG_LEVEL: "silent",
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
});

// Registered first, so run last: after a file's own clean-ups.
afterAll(async () => {
  const { closePool } = await import("@/lib/db/pool");
  await closePool();
  await database.drop();
  fs.rmSync(folder, { recursive: true, force: true });
});
