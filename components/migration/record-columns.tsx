import Link from "next/link";
import type { Column } from "@/components/ui/data-table";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import type { RecordView } from "@/lib/migration/check/review-queries";
import { recordPath } from "./paths";
import { RECORD_STATES, VERDICTS } from "./run-messages";

export function recordColumns(practice: number, run: number): Column<RecordView>[] {
  return [
    {
      id: "patient",
      header: "Patient",
      cell: (row) => (
        <Link
          href={recordPath(practice, run, row.id)}
          prefetch={false}
          className="block max-w-64 min-w-6 truncate leading-6 hover:underline max-sm:max-w-40"
        >
          {row.name ?? `Line ${row.line}`}
        </Link>
      ),
    },
    {
      id: "source_id",
      header: "Source ID",
      className: "max-md:hidden",
      cell: (row) => <span className="font-mono text-sm">{row.external_id}</span>,
    },
    {
      id: "verdict",
      header: "Verdict",
      cell: (row) => (row.verdict ? VERDICTS[row.verdict].text : "—"),
    },
    {
      id: "insurance",
      header: "Insurance",
      className: "max-lg:hidden",
      cell: (row) => <span className="text-soft">{summarizeInsurances(row)}</span>,
    },
    {
      id: "state",
      header: "State",
      className: "max-sm:hidden",
      cell: (row) => {
        const { kind, text } = RECORD_STATES[row.state];
        return <Status kind={kind}>{text}</Status>;
      },
    },
    {
      id: "patient_record",
      header: "Patient record",
      className: "max-md:hidden",
      cell: (row) =>
        row.patient_id !== null &&
        row.state !== "rolled_back" && (
          <TextLink href={`/practices/${practice}/patients/${row.patient_id}`} className="whitespace-nowrap">
            Patient {row.patient_id}
          </TextLink>
        ),
    },
  ];
}

function summarizeInsurances({ creates, updates, unchanged, archives, refused }: RecordView): string {
  const parts: [number, string][] = [
    [creates, `${creates} to create`],
    [updates, `${updates} to update`],
    [unchanged, `${unchanged} unchanged`],
    [archives, `${archives} to archive`],
    [refused, `${refused} rejected`],
  ];
  const texts = parts.filter(([count]) => count > 0).map(([, text]) => text);
  return texts.join(", ") || "None";
}
