import { labelOf } from "@/components/policies/fields";
import type { StreamDetail } from "@/lib/sync/staff-queries";

/** What an event tells of, record by record: each field that has a value. */
export function ChangeDetails({ changes }: { changes: StreamDetail["changes"] }) {
  if (!changes) return <p className="text-soft">It is not kept: the policy it told of was deleted for good.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {changes.map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: changes are in their order, and never move.
        <li key={at} className="border-line bg-raised rounded-md border">
          <details open={changes.length === 1}>
            <summary className="min-h-9 cursor-pointer px-3 py-2 font-medium">{titleOf(change)}</summary>
            <dl className="border-line grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-x-4 gap-y-1 border-t px-3 py-2">
              {fieldsOf(change).map(([name, value]) => (
                <Row key={name} name={name} value={value} />
              ))}
            </dl>
          </details>
        </li>
      ))}
    </ul>
  );
}

function Row({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt className="text-soft break-words">{nameInWords(name)}</dt>
      <dd className="font-mono break-words">{typeof value === "object" ? JSON.stringify(value) : String(value)}</dd>
    </>
  );
}

/** As the policy's page names it; other columns by their own words. */
function nameInWords(name: string): string {
  const label = labelOf(name);
  if (label !== name) return label;
  const words = name.replaceAll("_", " ").replace(/\bid$/, "ID");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

type Change = NonNullable<StreamDetail["changes"]>[number];

const KINDS: Record<string, string> = {
  create: "Created",
  update: "Changed",
  delete: "Ended",
  remove: "Deleted for good",
  deactivate_all: "All insurances ended",
  identity: "Patient renamed",
  cards: "Card images changed",
};

function titleOf(change: Change): string {
  const of = "policy" in change ? "policy" : "insurance" in change ? "insurance" : null;
  const record = "policy" in change ? change.policy : "insurance" in change ? change.insurance : null;
  return `${KINDS[change.kind] ?? change.kind}${of ? `: ${of} ${record?.id ?? ""}` : ""}`;
}

function fieldsOf({ kind: _kind, ...change }: Change): [string, unknown][] {
  const { policy, insurance, identity, ...rest } = change as Record<string, object | undefined>;
  const fields = { ...rest, ...policy, ...insurance, ...identity };
  const isEmpty = (value: unknown) => value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return Object.entries(fields).filter(([, value]) => !isEmpty(value));
}
