import { TextLink } from "@/components/ui/text-link";
import type { AuditView } from "@/lib/access/audit/staff-queries";
import { morePatients } from "./messages/sentence";

/** Shows the patients of an entry, linked to their pages. */
export function PatientLinks({ practice, entry, limit }: { practice: number; entry: AuditView; limit: number }) {
  const rest = entry.patient_count - Math.min(limit, entry.patients.length);
  return (
    <span className="inline-flex flex-wrap gap-x-2">
      {entry.patients.slice(0, limit).map((id) => (
        <TextLink key={id} href={`/practices/${practice}/patients/${id}`} className="font-mono">
          {id}
        </TextLink>
      ))}
      {rest > 0 && <span className="text-soft inline-flex min-h-6 min-w-6 items-center">{morePatients(rest)}</span>}
    </span>
  );
}
