import { formatNumber } from "@/components/ui/format";
import type { ClientView } from "@/lib/practice/practices/staff-queries";
import { clientUse as text } from "./messages";

/** Shows the client's calls to legacy insurance and to policies, for this practice. */
export function ClientUseTable({ client: { legacy, policy, name } }: { client: ClientView }) {
  const rows = [
    { label: text.legacy, use: legacy },
    { label: text.policies, use: policy },
  ];
  return (
    <table aria-label={text.label(name)} className="self-start max-md:w-full">
      <thead>
        <tr className="text-soft text-right">
          <th scope="col" className="text-left font-normal">
            {text.practice}
          </th>
          <th scope="col" className="pl-4 font-normal">
            {text.days7}
          </th>
          <th scope="col" className="pl-4 font-normal">
            {text.days30}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, use }) => (
          <tr key={label} className="text-right">
            <th scope="row" className="text-left font-normal">
              {label}
            </th>
            <td className="pl-4 font-mono">{formatNumber(use.days_7)}</td>
            <td className="pl-4 font-mono">{formatNumber(use.days_30)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
