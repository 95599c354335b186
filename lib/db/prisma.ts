import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "@/generated/prisma/client";
import { pool } from "./pool";

const shared = globalThis as { crosswalkPrisma?: PrismaClient };

/** The typed client, on the same pool as the SQL: for everything outside the insurance write path (DECISIONS.md, D3). */
export function prisma(): PrismaClient {
  shared.crosswalkPrisma ??= new PrismaClient({ adapter: new PrismaPg(pool(), { disposeExternalPool: false }) });
  return shared.crosswalkPrisma;
}
