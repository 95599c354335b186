import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { PrismaClient } from "@/generated/prisma/client";
import { pool } from "./pool";

const shared = globalThis as { crosswalkPrisma?: { client: PrismaClient; pool: pg.Pool } };

/** Returns Prisma Client on the pool that SQL uses. It serves everything outside the insurance write path (ADR 0003). */
export function prisma(): PrismaClient {
  const open = pool();
  // A pool that was closed and opened anew takes a new client with it.
  if (shared.crosswalkPrisma?.pool !== open) {
    const client = new PrismaClient({ adapter: new PrismaPg(open, { disposeExternalPool: false }) });
    shared.crosswalkPrisma = { client, pool: open };
  }
  return shared.crosswalkPrisma.client;
}
