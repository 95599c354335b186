import { COMPANY_FIELDS } from "@/lib/insurance/payers/schema";

const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");

// cspell:disable
const FIELDS = new Map<string, string>([
  ...["id", ...COMPANY_FIELDS].map((field) => [bare(field), field] as const),
  ...["companyid", "insurancecompany", "insurancecompanyid", "carrierid"].map((name) => [name, "id"] as const),
  ...["name", "company", "payer", "payername", "carriername", "companyname"].map((name) => [name, "carrier"] as const),
]);
// cspell:enable

/** Maps headings to payer fields; null if id or carrier is missing, or a field appears twice. */
export function readCompanyHeadings(headings: readonly string[]): (string | null)[] | null {
  const fields = headings.map((heading) => FIELDS.get(bare(heading)) ?? null);
  const isWhole = ["id", "carrier"].every((field) => fields.filter((one) => one === field).length === 1);
  return isWhole ? fields : null;
}

/** Reads a row as a payer of an export. Empty cells are omitted. */
export function companyOfCells(fields: readonly (string | null)[], cells: readonly string[]): Record<string, unknown> {
  const entries = fields.flatMap((field, at): [string, unknown][] => {
    const cell = cells[at] ?? "";
    if (field === null || cell === "") return [];
    if (field.startsWith("is_") && /^(true|false)$/i.test(cell)) return [[field, cell.toLowerCase() === "true"]];
    return [[field, field === "id" && /^[1-9]\d{0,14}$/.test(cell) ? Number(cell) : cell]];
  });
  return Object.fromEntries(entries);
}
