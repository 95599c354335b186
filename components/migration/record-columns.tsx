import Link from "next/link";
import type { Column } from "@/components/ui/data-table";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import type { RecordView } from "@/lib/migration/check/review-queries";
import { recordColumn as words } from "./messages/review";
import { lineName, patientLink, RECORD_STATES, VERDICTS } from "./messages/terms";
import { recordPath } from "./paths";

export function recordColumns(practice: number, run: number): Column<RecordView>[] {
  return [
    {
      id: "patient",
      header: words.patient,
      cell: (row) => (
        <Link
          href={recordPath(practice, run, row.id)}
          prefetch={false}
          className="block max-w-64 min-w-6 truncate leading-6 hover:underline max-sm:max-w-40"
        >
          {row.name ?? lineName(row.line)}
        </Link>
      ),
    },
    {
      id: "source_id",
      header: words.sourceId,
      className: "max-md:hidden",
      cell: (row) => <span className="font-mono text-sm">{row.external_id}</span>,
    },
    {
      id: "verdict",
      header: words.verdict,
      cell: (row) => (row.verdict ? VERDICTS[row.verdict].text : "—"),
    },
    {
      id: "insurance",
      header: words.insurance,
      className: "max-lg:hidden",
      cell: (row) => <span className="text-soft">{summarizeInsurances(row)}</span>,
    },
    {
      id: "state",
      header: words.state,
      className: "max-sm:hidden",
      cell: (row) => {
        const { kind, text } = RECORD_STATES[row.state];
        return <Status kind={kind}>{text}</Status>;
      },
    },
    {
      id: "patient_record",
      header: words.patientRecord,
      className: "max-md:hidden",
      cell: (row) =>
        row.patient_id !== null &&
        row.state !== "rolled_back" && (
          <TextLink href={`/practices/${practice}/patients/${row.patient_id}`} className="whitespace-nowrap">
            {patientLink(row.patient_id)}
          </TextLink>
        ),
    },
  ];
}

function summarizeInsurances({ creates, updates, unchanged, archives, refused }: RecordView): string {
  const parts: [number, string][] = [
    [creates, words.creates(creates)],
    [updates, words.updates(updates)],
    [unchanged, words.unchanged(unchanged)],
    [archives, words.archives(archives)],
    [refused, words.refused(refused)],
  ];
  const texts = parts.filter(([count]) => count > 0).map(([, text]) => text);
  return texts.join(", ") || words.none;
}
