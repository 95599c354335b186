import { formatMoney, rankLabel } from "@/components/policies/fields";
import { Copyable } from "@/components/ui/copyable";
import { pluralize } from "@/components/ui/format";
import { Day } from "@/components/ui/time";
import { RANK_WORDS } from "@/lib/insurance/fields/ranks";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { Facts } from "./facts";
import { Part } from "./part";
import { Effective } from "./policy-card";
import type { LegacyInsurance } from "./use-patient";

/** The patient's insurances as clients see them that still read the patient record. */
export function LegacyView({ data }: { data: PatientPage }) {
  const { insurances, cards, deprecation } = data;
  return (
    <Part title="Legacy view">
      <div className="border-line bg-raised rounded-md border">
        {insurances === null ? (
          <p className="px-3 py-3">
            Nothing: the practice's deadline of <Day value={deprecation.date} /> is enforced. Clients get no insurances
            with the patient record, only policies.
          </p>
        ) : (
          <ul>
            {RANK_WORDS.map((word, at) => (
              <li key={word} className="border-line border-b px-3 py-2 last:border-0">
                <Priority
                  rank={at + 1}
                  insurance={insurances.find(({ rank }) => rank === word)}
                  cards={cards.filter(({ rank }) => rank === at + 1).length}
                />
              </li>
            ))}
          </ul>
        )}
      </div>
      {insurances !== null && (
        <p className="text-soft mt-2 text-sm">
          What clients read and write in the patient record. It follows the policies by itself
          {deprecation.mode === "enforce" ? (
            <>
              , until <Day value={deprecation.date} />.
            </>
          ) : (
            <>
              . Its date of deprecation is <Day value={deprecation.date} />.
            </>
          )}
        </p>
      )}
    </Part>
  );
}

function Priority({ rank, insurance, cards }: { rank: number; insurance: LegacyInsurance | undefined; cards: number }) {
  if (!insurance) {
    return (
      <p className="text-soft">
        <span className="font-medium">{rankLabel(rank)}</span> · none
      </p>
    );
  }
  const { id, carrier, plan, member_id, group_id, start_date, end_date, copay } = insurance;
  return (
    <>
      <p>
        <span className="font-medium">{rankLabel(rank)}</span>
        <span className="text-soft"> · </span>
        {carrier ?? "No carrier named"}
      </p>
      {plan && <p className="text-soft">{plan}</p>}
      <Facts
        facts={[
          ["ID", <Copyable key="id" value={String(id)} label="insurance ID" />],
          ["Member ID", member_id && <span className="font-mono break-all">{member_id}</span>],
          ["Group", group_id && <span className="font-mono break-all">{group_id}</span>],
          ["Effective", (start_date || end_date) && <Effective start={start_date} end={end_date} />],
          ["Copay", copay && <span className="font-mono">{formatMoney(copay)}</span>],
          ["Cards", cards > 0 && pluralize(cards, "image")],
        ]}
      />
    </>
  );
}
