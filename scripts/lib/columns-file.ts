import { readFile } from "node:fs/promises";
import { z } from "zod";
import { COLUMN_TARGETS, type Columns, type ColumnTarget } from "@/lib/migration/record/columns";
import { requireReadable, UsageError } from "./command-line";

const columnsFile = z.record(z.string(), z.enum(COLUMN_TARGETS as [ColumnTarget, ...ColumnTarget[]]));

/**
 * Reads the file of `--columns`, which maps the headings of a CSV file to fields: `{"MRN": "patient.id"}`.
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
    `--columns ${file} must contain a JSON object that maps headings to fields, such as {"MRN": "patient.id"}. Fields: ${COLUMN_TARGETS.join(", ")}`,
  );
}
