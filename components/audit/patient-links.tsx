import Link from "next/link";
import { formatNumber } from "@/components/ui/format";
import type { AuditView } from "@/lib/access/audit/staff-queries";

/** The patients of an entry, each a way to their page. */
export function PatientLinks({ practice, entry, most }: { practice: number; entry: AuditView; most: number }) {
  const rest = entry.patient_count - Math.min(most, entry.patients.length);
  return (
    <span className="inline-flex flex-wrap gap-x-2">
      {entry.patients.slice(0, most).map((id) => (
        <Link
          key={id}
          href={`/practices/${practice}/patients/${id}`}
          prefetch={false}
          className="inline-flex min-h-6 min-w-6 items-center font-mono hover:underline"
        >
          {id}
        </Link>
      ))}
      {rest > 0 && (
        <span className="text-soft inline-flex min-h-6 min-w-6 items-center">and {formatNumber(rest)} more</span>
      )}
    </span>
  );
}
