import { TextLink } from "@/components/ui/text-link";
import { Day, Time } from "@/components/ui/time";
import type { RecentPatient } from "@/lib/insurance/patients/recent-queries";
import { Card } from "./card";
import { recentPatients as text } from "./messages/front-desk";

/** Lists the patients that the user opened last. */
export function RecentPatientsCard({ practice, patients }: { practice: number; patients: readonly RecentPatient[] }) {
  return (
    <Card id="recent-patients" title={text.title}>
      {patients.length === 0 ? (
        <p className="text-soft">{text.empty}</p>
      ) : (
        <ul>
          {patients.map(({ id, first_name, last_name, dob, viewed_date }) => (
            <li key={id} className="border-line flex flex-wrap items-center gap-x-3 border-b py-1 last:border-0">
              <TextLink href={`/practices/${practice}/patients/${id}`} className="font-medium">
                {last_name}, {first_name}
              </TextLink>
              <span className="text-soft">
                <Day value={dob} />
              </span>
              <span className="text-soft ml-auto text-sm">
                <Time value={viewed_date} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
