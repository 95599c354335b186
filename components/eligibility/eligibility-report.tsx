import type { ReactNode } from "react";
import { classNames } from "@/components/ui/class-names";
import { DetailList } from "@/components/ui/detail-list";
import { capitalize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { PlainTable } from "@/components/ui/plain-table";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { Benefit, BenefitKind } from "@/lib/insurance/eligibility/schema";
import type { CheckWithReport } from "@/lib/insurance/eligibility/staff-queries";
import { keysOf } from "@/lib/platform/objects";
import { sourceText } from "../policies/change-sources";
import { Effective } from "../policies/effective";
import { formatAmount, reasonText } from "./messages/line";
import { formatPercent, eligibilityDialog as text } from "./messages/report";

/** Shows what the payer reported in a check. */
export function EligibilityReport({ check }: { check: CheckWithReport }) {
  const { status, provider, details, report } = check;
  const { plan_details: plan, subscriber, eligibility_provider: requester } = report;
  const isAmbiguous = [
    details.copay_ambiguous,
    details.coinsurance_ambiguous,
    details.deductible_ambiguous,
    details.deductible_remaining_ambiguous,
  ].some(Boolean);
  const { address } = subscriber;
  return (
    <>
      {provider === "simulator" && (
        <Notice tone="warning" title={text.simulatedTitle}>
          {text.simulated}
        </Notice>
      )}
      <p>
        <Status kind={status === "active" ? "good" : status === "inactive" ? "warning" : "failed"}>
          {text.status[status]}
        </Status>
        {status === "error" && `: ${reasonText(details.errors[0])}`}
        <span className="text-soft">
          {" "}
          · <Time value={check.checked_date} exact /> · {text.checkedBy(check.by, sourceText(check.source))}
        </span>
      </p>
      {isAmbiguous && <Notice tone="warning">{text.ambiguous}</Notice>}
      {status !== "error" && <Benefits check={check} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <Facts
          title={text.plan}
          facts={[
            [text.planFields.carrier, plan.carrier],
            [text.planFields.plan_name, plan.plan_name],
            [text.planFields.plan_number, plan.plan_number],
            [text.planFields.group_name, plan.group_name],
            [text.planFields.group_number, plan.group_number],
            [text.planFields.member_id, plan.member_id],
            [
              text.planFields.dates,
              (plan.start_date || plan.end_date) && (
                <Effective start={plan.start_date ?? null} end={plan.end_date ?? null} />
              ),
            ],
            [text.planFields.insurance_type, plan.insurance_type],
          ]}
        />
        <Facts
          title={text.subscriber}
          facts={[
            [text.subscriberFields.name, subscriber.name],
            [text.subscriberFields.member_id, subscriber.member_id],
            [text.subscriberFields.sex_at_birth, subscriber.sex_at_birth],
            [
              text.subscriberFields.address,
              address &&
                [address.address_1, address.address_2, address.city, address.state, address.postal_code]
                  .filter(Boolean)
                  .join(", "),
            ],
            [
              text.askedFor,
              [requester.organization_name, requester.npi && text.npi(requester.npi)].filter(Boolean).join(", "),
            ],
          ]}
        />
      </div>
    </>
  );
}

function Facts({ title, facts }: { title: string; facts: Parameters<typeof DetailList>[0]["details"] }) {
  const isEmpty = facts.every(([, value]) => !value);
  return (
    <section>
      <h3 className="font-semibold">{title}</h3>
      {isEmpty ? <p className="text-soft">{text.notReported}</p> : <DetailList details={facts} />}
    </section>
  );
}

/** Class of the columns that a phone shows as a line below the benefit. */
const WIDE = "max-sm:hidden";
const COLUMNS = keysOf(text.columns).map((key) => ({
  name: text.columns[key],
  className: key === "benefit" || key === "value" ? undefined : WIDE,
}));

function Benefits({ check: { report } }: { check: CheckWithReport }) {
  const rows = keysOf(text.kinds).flatMap((kind) => report.benefits[kind].map((benefit) => [kind, benefit] as const));
  return (
    <section>
      <h3 className="mb-1.5 font-semibold">{text.benefits}</h3>
      {rows.length === 0 ? (
        <p className="text-soft">{text.noBenefits}</p>
      ) : (
        <PlainTable label={text.benefits} columns={COLUMNS}>
          {rows.map(([kind, benefit], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: benefits have no identity other than their position.
            <BenefitRow key={index} kind={kind} benefit={benefit} />
          ))}
        </PlainTable>
      )}
    </section>
  );
}

function BenefitRow({ kind, benefit }: { kind: BenefitKind; benefit: Benefit }) {
  const { service_type: service, amount, percent, time_period, message } = benefit;
  const isRemaining = time_period === "remaining";
  const level = codeText(benefit.coverage_level);
  const network = benefit.network && text.networks[benefit.network];
  const period = isRemaining ? undefined : codeText(time_period);
  const value = amount !== undefined ? formatAmount(amount) : percent !== undefined ? formatPercent(percent) : null;
  return (
    <tr className="border-line border-b align-top last:border-0">
      <td className="px-3 py-1.5">
        {isRemaining ? text.remaining(text.kinds[kind]) : text.kinds[kind]}
        <span className="text-soft block text-sm sm:hidden">
          {[service, level, network, period].filter(Boolean).join(" · ")}
        </span>
      </td>
      <WideCell>{service}</WideCell>
      <WideCell>{level}</WideCell>
      <WideCell>{network && <span className="whitespace-nowrap">{network}</span>}</WideCell>
      <td className="px-3 py-1.5">
        {value && <span className="font-mono">{value}</span>}
        {value && message && " "}
        {message}
      </td>
      <WideCell>{period}</WideCell>
    </tr>
  );
}

function WideCell({ children }: { children: ReactNode }) {
  return <td className={classNames("px-3 py-1.5", WIDE)}>{children}</td>;
}

/** Writes a code such as `calendar_year` as words. */
const codeText = (code: string | undefined) => code && capitalize(code.replaceAll("_", " "));
