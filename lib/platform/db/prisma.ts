import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { PrismaClient } from "@/generated/prisma/client";
import { processWide } from "@/lib/platform/process-wide";
import { pool } from "./pool";

const shared = () => processWide<{ open?: { client: PrismaClient; pool: pg.Pool } }>("crosswalkPrisma", () => ({}));

/** Returns Prisma Client on the pool that SQL uses. It serves everything outside the insurance write path (ADR 0003). */
export function prisma(): PrismaClient {
  const open = pool();
  // A new pool needs a new client.
  const own = shared();
  if (own.open?.pool !== open) {
    const client = new PrismaClient({ adapter: new PrismaPg(open, { disposeExternalPool: false }) });
    own.open = { client, pool: open };
  }
  return own.open.client;
}
