/** What each state does (specification, States and transitions). */
const EFFECTS: { what: string; on: string; off: string }[] = [
  {
    what: "Staff see",
    on: "Policies by rank, with version history, differences and restore",
    off: "The patient's insurance by priority. Saving replaces all of it",
  },
  {
    what: "A legacy write with IDs",
    on: "Updates the insurance in place and keeps its ID and card images",
    off: "Replaces all of the patient's insurance and assigns new IDs",
  },
  {
    what: "Insurance omitted from a legacy write",
    on: "Is archived. The others stay unchanged",
    off: "Is archived, like all the others",
  },
  {
    what: "A card image by priority",
    on: "Is rejected (422): uploads need a policy ID",
    off: "Is accepted",
  },
  { what: "The policy endpoints", on: "Work", off: "Work" },
];

/** Compares the current state of Insurance Versioning with the state after switching. */
export function VersioningComparison({ now, then }: { now: "on" | "off"; then: "on" | "off" }) {
  return (
    <table aria-label="Effects of switching" className="w-full table-fixed border-collapse">
      <thead>
        <tr className="border-line border-b text-left">
          <th scope="col" className="px-4 py-2 font-medium">
            Now ({now})
          </th>
          <th scope="col" className="border-line bg-sunken border-l px-4 py-2 font-medium">
            After turning it {then}
          </th>
        </tr>
      </thead>
      <tbody>
        {EFFECTS.map((effect) => (
          <EffectRows key={effect.what} what={effect.what} before={effect[now]} after={effect[then]} />
        ))}
      </tbody>
    </table>
  );
}

function EffectRows({ what, before, after }: { what: string; before: string; after: string }) {
  const same = before === after;
  return (
    <>
      <tr>
        <th scope="rowgroup" colSpan={2} className="text-soft px-4 pt-2 text-left text-sm font-normal">
          {what}
        </th>
      </tr>
      <tr className="border-line border-b align-top">
        <td className="px-4 pb-2">{before}</td>
        <td className="px-4 pb-2">{same ? <span className="text-soft">Unchanged</span> : after}</td>
      </tr>
    </>
  );
}
