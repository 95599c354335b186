import { readFile } from "node:fs/promises";
import { z } from "zod";
import { COLUMN_TARGETS, type Columns, type ColumnTarget } from "@/lib/migration/record/columns";
import { requireReadable, UsageError } from "./command-line";

const columnsFile = z.record(z.string(), z.enum(COLUMN_TARGETS as [ColumnTarget, ...ColumnTarget[]]));

/**
 * What the columns of a CSV file are, from the file that `--columns` names: a JSON object of headings and fields,
 * `{"MRN": "patient.id"}`.
 *
 * @throws UsageError
 */
export async function readColumnsFile(file: string): Promise<Columns> {
  await requireReadable("--columns", file);
  const parsed = columnsFile.safeParse(
    await readFile(file, "utf8")
      .then(JSON.parse)
      .catch(() => null),
  );
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `--columns ${file} must hold a JSON object of headings and fields, such as {"MRN": "patient.id"}. Fields: ${COLUMN_TARGETS.join(", ")}`,
  );
}
