import type { ColumnDef } from "@tanstack/react-table";
import Link from "next/link";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import type { RecordView } from "@/lib/migration/check/review-queries";
import { recordPath } from "./paths";
import { RECORD_STATES, VERDICTS } from "./run-messages";

export function recordColumns(practice: number, run: number): ColumnDef<RecordView>[] {
  return [
    {
      header: "Patient",
      cell: ({ row: { original } }) => (
        <Link
          href={recordPath(practice, run, original.id)}
          prefetch={false}
          className="block max-w-64 min-w-6 truncate leading-6 hover:underline max-sm:max-w-40"
        >
          {original.name ?? `Line ${original.line}`}
        </Link>
      ),
    },
    {
      header: "Source ID",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) => <span className="font-mono text-sm">{original.external_id}</span>,
    },
    {
      header: "Verdict",
      cell: ({ row: { original } }) => (original.verdict ? VERDICTS[original.verdict].text : "—"),
    },
    {
      header: "Insurance",
      meta: { className: "max-lg:hidden" },
      cell: ({ row: { original } }) => <span className="text-soft">{summarizeInsurances(original)}</span>,
    },
    {
      header: "State",
      meta: { className: "max-sm:hidden" },
      cell: ({ row: { original } }) => {
        const { kind, text } = RECORD_STATES[original.state];
        return <Status kind={kind}>{text}</Status>;
      },
    },
    {
      header: "Patient record",
      meta: { className: "max-md:hidden" },
      cell: ({ row: { original } }) =>
        original.patient_id !== null &&
        original.state !== "rolled_back" && (
          <TextLink href={`/practices/${practice}/patients/${original.patient_id}`} className="whitespace-nowrap">
            Patient {original.patient_id}
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
