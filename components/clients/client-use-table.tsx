import { formatNumber } from "@/components/ui/format";
import type { ClientView } from "@/lib/practice/practices/staff-queries";

/** Shows the client's calls to legacy insurance and to policies, for this practice. */
export function ClientUseTable({ client: { legacy, policy, name } }: { client: ClientView }) {
  const rows = [
    { label: "Legacy insurance calls", use: legacy },
    { label: "Policy calls", use: policy },
  ];
  return (
    <table aria-label={`Calls of ${name} for this practice`} className="self-start max-md:w-full">
      <thead>
        <tr className="text-soft text-right">
          <th scope="col" className="text-left font-normal">
            This practice
          </th>
          <th scope="col" className="pl-4 font-normal">
            7 days
          </th>
          <th scope="col" className="pl-4 font-normal">
            30 days
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
