import { Day } from "@/components/ui/time";
import { patientSearch as text } from "./messages/search";
import type { FoundPatient } from "./use-patient-search";

/** Renders a match of a patient search: name and date of birth, and below them the primary insurance. */
export function FoundPatientRow({ patient }: { patient: FoundPatient }) {
  const { first_name, last_name, dob, carrier, member_id } = patient;
  return (
    <div className="min-w-0 flex-1 py-1">
      <div className="flex items-baseline justify-between gap-3">
        <div className="truncate">
          {last_name}, {first_name}
        </div>
        <div className="text-soft font-mono">
          <Day value={dob} />
        </div>
      </div>
      <div className="text-soft text-sm wrap-anywhere">{text.primary(carrier ?? noPayer(patient), member_id)}</div>
    </div>
  );
}

function noPayer({ has_primary, insurances }: FoundPatient): string {
  if (has_primary) return text.noPayer;
  return insurances === 0 ? text.noInsurance : text.noPrimary;
}
