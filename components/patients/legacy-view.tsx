import { Effective } from "@/components/policies/effective";
import { formatMoney, rankLabel } from "@/components/policies/fields";
import { Copyable } from "@/components/ui/copyable";
import { DetailList } from "@/components/ui/detail-list";
import { Section } from "@/components/ui/section";
import { Day } from "@/components/ui/time";
import { RANK_WORDS } from "@/lib/insurance/fields/limits";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { legacyDetails, legacyView as text } from "./messages/legacy-view";
import type { LegacyInsurance } from "./use-patient";

/** Shows the patient's insurance as clients of the legacy API see it. */
export function LegacyView({ data }: { data: PatientPage }) {
  const { insurances, cards, deprecation } = data;
  const date = <Day value={deprecation.date} />;
  return (
    <Section compact title={text.title}>
      <div className="border-line bg-raised rounded-md border">
        {insurances === null ? (
          <p className="px-3 py-3">{text.ended(date)}</p>
        ) : (
          <ul>
            {RANK_WORDS.map((word, index) => (
              <li key={word} className="border-line border-b px-3 py-2 last:border-0">
                <Priority
                  rank={index + 1}
                  insurance={insurances.find(({ rank }) => rank === word)}
                  cards={cards.filter(({ rank }) => rank === index + 1).length}
                />
              </li>
            ))}
          </ul>
        )}
      </div>
      {insurances !== null && (
        <p className="text-soft mt-2 text-sm">
          {deprecation.mode === "enforce" ? text.endsOn(date) : text.deprecatedOn(date)}
        </p>
      )}
    </Section>
  );
}

interface PriorityProps {
  rank: number;
  insurance: LegacyInsurance | undefined;
  /** How many card images there are. */
  cards: number;
}

function Priority({ rank, insurance, cards }: PriorityProps) {
  if (!insurance) {
    return (
      <p className="text-soft">
        <span className="font-medium">{rankLabel(rank)}</span> · {text.none}
      </p>
    );
  }
  const { id, carrier, plan, member_id, group_id, start_date, end_date, copay } = insurance;
  return (
    <>
      <p>
        <span className="font-medium">{rankLabel(rank)}</span>
        <span className="text-soft"> · </span>
        {carrier ?? text.noPayer}
      </p>
      {plan && <p className="text-soft">{plan}</p>}
      <DetailList
        details={[
          [legacyDetails.id, <Copyable key="id" value={String(id)} label={legacyDetails.copyId} />],
          [legacyDetails.memberId, member_id && <span className="font-mono break-all">{member_id}</span>],
          [legacyDetails.groupNumber, group_id && <span className="font-mono break-all">{group_id}</span>],
          [legacyDetails.effective, (start_date || end_date) && <Effective start={start_date} end={end_date} />],
          [legacyDetails.copay, copay && <span className="font-mono">{formatMoney(copay)}</span>],
          [legacyDetails.cards, cards > 0 && legacyDetails.images(cards)],
        ]}
      />
    </>
  );
}
