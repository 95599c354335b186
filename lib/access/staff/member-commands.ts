import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import type { Tx } from "@/lib/platform/db/transaction";

// Rows of accounts and their practices. The commands of members check, record and publish the changes.

/** Sets columns of an account. */
export async function updateAccount(tx: Tx, userId: number, columns: Partial<Row<"staff_user">>): Promise<void> {
  await tx.run(kysely.updateTable("staff_user").set(columns).where("id", "=", userId));
}

/** Adds an account to practices. */
export async function grantPractices(tx: Tx, userId: number, practices: readonly number[]): Promise<void> {
  const memberships = practices.map((practice_id) => ({ user_id: userId, practice_id }));
  await tx.run(
    kysely
      .insertInto("staff_user_practice")
      .values(memberships)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Removes an account from practices. */
export async function revokePractices(tx: Tx, userId: number, practices: readonly number[]): Promise<void> {
  await tx.run(
    kysely.deleteFrom("staff_user_practice").where("user_id", "=", userId).where("practice_id", "=", anyOf(practices)),
  );
}
