import { Copyable } from "@/components/ui/copyable";
import { Section } from "@/components/ui/section";
import { fieldWords } from "@/lib/migration/findings/field-words";
import type { PolicyCall } from "@/lib/migration/what-if/equivalent-calls";
import type { Scenario, WhatWouldHappen } from "@/lib/migration/what-if/what-would-happen";
import { rehearsal as text } from "./messages/what-if";

const scenarioTitle = ({ versioning, deadline }: Scenario) => text[deadline](versioning);

/** Shows the effect of a legacy write in each scenario, and the policy calls that do the same. */
export function RehearsalResult({ result, base }: { result: WhatWouldHappen; base: string }) {
  const { patient, scenarios, calls } = result;
  return (
    <>
      <Section title={text.title(patient.name)}>
        <div className="grid gap-4 lg:grid-cols-2">
          {scenarios.map((scenario) => (
            <ScenarioCard key={scenarioTitle(scenario)} scenario={scenario} />
          ))}
        </div>
      </Section>
      <Section title={text.calls} lead={text.callsLead}>
        {calls.length === 0 ? (
          <p className="text-soft">{text.noCalls}</p>
        ) : (
          <ol className="flex flex-col gap-3">
            {calls.map((call) => (
              <CallCard key={`${call.method} ${call.path} ${JSON.stringify(call.body)}`} call={call} base={base} />
            ))}
          </ol>
        )}
      </Section>
    </>
  );
}

const rankText = (rank: number | null) => (rank === null ? text.unranked : (text.ranks[rank - 1] ?? ""));

type LegacyChange = Scenario["legacy"][number];
type PolicyChange = Scenario["policies"][number];

function legacyText({ id, rank, carrier, kind }: LegacyChange): string {
  const record = kind === "created" || id === null ? text.newRecord : text.record(id);
  return carrier
    ? text.changeOfPayer(record, rankText(rank), carrier, kind)
    : text.change(record, rankText(rank), kind);
}

function policyText({ kind, policy, rank, card_images, changed_fields }: PolicyChange): string {
  const name = kind === "created" ? text.newPolicy : text.policy(policy);
  const change = text.change(name, rankText(rank), kind.replaceAll("_", " "));
  const isListed = kind !== "created" && changed_fields.length > 0;
  const whole = isListed
    ? text.withFields(change, changed_fields.map((field) => fieldWords(field)).join(", "))
    : change;
  return card_images > 0 ? text.withImages(whole, card_images) : whole;
}

function ScenarioCard({ scenario }: { scenario: Scenario }) {
  const { refused, legacy, policies } = scenario;
  const changed = legacy.filter(({ kind }) => kind !== "unchanged");
  return (
    <article aria-label={scenarioTitle(scenario)} className="border-line bg-raised rounded-md border px-4 py-3">
      <h3 className="mb-2 font-semibold">{scenarioTitle(scenario)}</h3>
      {refused ? (
        <p className="text-bad">{text.rejected(refused.code, refused.message)}</p>
      ) : (
        <>
          <p className="text-soft text-sm">{text.legacy}</p>
          {changed.length === 0 && <p>{text.noChanges}</p>}
          <ul className="list-disc pl-5">
            {changed.map((change) => (
              <li key={`${change.id} ${change.kind}`}>{legacyText(change)}</li>
            ))}
          </ul>
          <p className="text-soft mt-2 text-sm">{text.policies}</p>
          {policies.length === 0 && <p>{text.noChanges}</p>}
          <ul className="list-disc pl-5">
            {policies.map((change) => (
              <li key={`${change.policy} ${change.kind}`}>{policyText(change)}</li>
            ))}
          </ul>
        </>
      )}
    </article>
  );
}

function CallCard({ call, base }: { call: PolicyCall; base: string }) {
  const curl = toCurl(call, base);
  return (
    <li className="border-line bg-raised rounded-md border px-3 py-2">
      <Copyable value={curl} label={text.copyCall} className="text-sm whitespace-pre-wrap" />
      {call.note && <p className="text-soft mt-1 text-sm">{call.note}</p>}
    </li>
  );
}

/** Formats a call as a curl command for a POSIX shell. */
function toCurl({ method, path, body }: PolicyCall, base: string): string {
  const lines = [`curl -X ${method} '${base}${path}'`, `  -H "Authorization: Bearer $TOKEN"`];
  if (body) {
    lines.push("  -H 'Content-Type: application/json'", `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(" \\\n");
}
