import { versioningEffects as text } from "./messages/practice";

/** Compares the current state of Insurance Versioning with the state after switching. */
export function VersioningComparison({ now, then }: { now: "on" | "off"; then: "on" | "off" }) {
  return (
    <table aria-label={text.label} className="w-full table-fixed border-collapse">
      <thead>
        <tr className="border-line border-b text-left">
          <th scope="col" className="px-4 py-2 font-medium">
            {text.now(now === "on")}
          </th>
          <th scope="col" className="border-line bg-sunken border-l px-4 py-2 font-medium">
            {text.after(then === "on")}
          </th>
        </tr>
      </thead>
      <tbody>
        {text.rows.map((effect) => (
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
        <td className="px-4 pb-2">{same ? <span className="text-soft">{text.unchanged}</span> : after}</td>
      </tr>
    </>
  );
}
