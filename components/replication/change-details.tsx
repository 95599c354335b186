import { FieldValue } from "@/components/policies/history/field-value";
import { compareFields, historyFieldOf } from "@/components/policies/history/history-fields";
import { Summary } from "@/components/ui/disclosure";
import type { ReplicationDetail } from "@/lib/insurance/replication/staff-queries";
import { syncChanges as text } from "./messages/sync";

/** Shows the records an event changes, each with the fields that have a value. */
export function ChangeDetails({ changes }: { changes: ReplicationDetail["changes"] }) {
  if (!changes) return <p className="text-soft">{text.deleted}</p>;
  return (
    <ul className="flex flex-col gap-2">
      {changes.map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order of changes is fixed.
        <li key={at} className="border-line bg-raised rounded-md border">
          <details open={changes.length === 1}>
            <Summary className="min-h-9 px-3 py-2 font-medium">{changeTitle(change)}</Summary>
            <dl className="border-line grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-x-4 gap-y-1 border-t px-3 py-2">
              {changeFields(change).map(([name, value]) => (
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
  const field = historyFieldOf(name);
  return (
    <>
      <dt className="text-soft break-words">{field.label}</dt>
      <dd className="break-words">
        {typeof value === "object" ? (
          <span className="font-mono">{JSON.stringify(value)}</span>
        ) : (
          <FieldValue field={field} value={value} />
        )}
      </dd>
    </>
  );
}

type Change = NonNullable<ReplicationDetail["changes"]>[number];

function changeTitle(change: Change): string {
  const kind = text.kinds[change.kind] ?? change.kind;
  if ("policy" in change) return text.policy(kind, change.policy?.id ?? "");
  return "insurance" in change ? text.insurance(kind, change.insurance?.id ?? "") : kind;
}

function changeFields({ kind: _kind, ...change }: Change): [string, unknown][] {
  const { policy, insurance, identity, ...rest } = change as Record<string, object | undefined>;
  const fields = { ...rest, ...policy, ...insurance, ...identity };
  const isEmpty = (value: unknown) => value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return Object.entries(fields)
    .filter(([, value]) => !isEmpty(value))
    .sort(([a], [b]) => compareFields(a, b));
}
