import { Section } from "@/components/ui/section";
import type { RecordPage } from "@/lib/migration/check/record-queries";
import { fieldWords } from "@/lib/migration/findings/field-words";
import { differences as text } from "./messages/review";
import { valueText } from "./messages/terms";

/** Shows the differences that verification found in a record. */
export function DifferenceTable({ differences }: Pick<RecordPage, "differences">) {
  return (
    <Section title={text.title} lead={text.lead}>
      <table aria-label={text.title} className="border-line bg-raised w-full border-collapse rounded-md border">
        <tbody>
          {differences.map(({ where, field, between, values }) => (
            <tr key={`${where} ${field} ${between.join()}`} className="border-line border-b last:border-0">
              <th scope="row" className="px-3 py-2 text-left font-normal">
                {text.place(where, fieldWords(field))}
              </th>
              <td className="px-3 py-2">
                <span className="text-soft">{between[0]}</span>{" "}
                <span className="font-mono">{valueText(values[0])}</span>
              </td>
              <td className="px-3 py-2">
                <span className="text-soft">{between[1]}</span>{" "}
                <span className="font-mono">{valueText(values[1])}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
