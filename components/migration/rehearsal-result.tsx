import { Copyable } from "@/components/ui/copyable";
import { pluralize } from "@/components/ui/format";
import { Section } from "@/components/ui/section";
import type { PolicyCall } from "@/lib/migration/what-if/equivalent-calls";
import type { Scenario, WhatWouldHappen } from "@/lib/migration/what-if/what-would-happen";
import { fieldWords } from "./run-messages";

const DEADLINES = { before: "before the deadline", after: "after the deadline, enforced" } as const;
const scenarioTitle = ({ versioning, deadline }: Scenario) =>
  `Insurance Versioning ${versioning ? "on" : "off"}, ${DEADLINES[deadline]}`;

/** Shows the effect of a legacy write in each scenario, and the policy calls that do the same. */
export function RehearsalResult({ result, base }: { result: WhatWouldHappen; base: string }) {
  const { patient, scenarios, calls } = result;
  return (
    <>
      <Section title={`Effect on ${patient.name}`}>
        <div className="grid gap-4 lg:grid-cols-2">
          {scenarios.map((scenario) => (
            <ScenarioCard key={scenarioTitle(scenario)} scenario={scenario} />
          ))}
        </div>
      </Section>
      <Section
        title="Equivalent policy calls"
        lead="With Insurance Versioning on, these calls change the policies in the same way. $TOKEN is the client's access token."
      >
        {calls.length === 0 ? (
          <p className="text-soft">No calls needed: the write changes no insurance.</p>
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

const RANKS = ["primary", "secondary", "tertiary"];
const rankText = (rank: number | null) => (rank === null ? "unranked" : RANKS[rank - 1]);

function ScenarioCard({ scenario }: { scenario: Scenario }) {
  const { refused, legacy, policies } = scenario;
  const changed = legacy.filter(({ kind }) => kind !== "unchanged");
  return (
    <article aria-label={scenarioTitle(scenario)} className="border-line bg-raised rounded-md border px-4 py-3">
      <h3 className="mb-2 font-semibold">{scenarioTitle(scenario)}</h3>
      {refused ? (
        <p className="text-bad">
          Rejected with {refused.code}: {refused.message}
        </p>
      ) : (
        <>
          <p className="text-soft text-sm">Legacy records</p>
          {changed.length === 0 && <p>No changes.</p>}
          <ul className="list-disc pl-5">
            {changed.map(({ id, rank, carrier, kind }) => (
              <li key={`${id} ${kind}`}>
                {kind === "created" ? "A new record" : `Record ${id}`}, {rankText(rank)}
                {carrier && `, ${carrier}`}: {kind}
              </li>
            ))}
          </ul>
          <p className="text-soft mt-2 text-sm">Policies and card images</p>
          {policies.length === 0 && <p>No changes.</p>}
          <ul className="list-disc pl-5">
            {policies.map(({ kind, policy, rank, card_images, changed_fields }) => (
              <li key={`${policy} ${kind}`}>
                {kind === "created" ? "A new policy" : `Policy ${policy}`}, {rankText(rank)}:{" "}
                {kind.replaceAll("_", " ")}
                {kind !== "created" &&
                  changed_fields.length > 0 &&
                  ` (${changed_fields.map((field) => fieldWords(field)).join(", ")})`}
                {card_images > 0 && `, with ${pluralize(card_images, "card image")}`}
              </li>
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
      <Copyable value={curl} label="call" className="text-sm whitespace-pre-wrap" />
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
