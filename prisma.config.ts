import { defineConfig } from "prisma/config";

// `prisma generate` insists that the native schema engine exists, and never runs it. It can't be downloaded behind many a
// firewall: any file will do.
if (process.argv.includes("generate")) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: "prisma/schema",
  migrations: { path: "prisma/migrations" },
  datasource: { url: process.env.DATABASE_URL ?? "" },
});
