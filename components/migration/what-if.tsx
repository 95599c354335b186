"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/controls";
import { Copyable } from "@/components/ui/copyable";
import { Field, inputClass, SelectField, TextAreaField, TextField } from "@/components/ui/field";
import { formatNumber, pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Section } from "@/components/ui/section";
import type { Scenario, WhatWouldHappen } from "@/lib/migration/commands/what-would-happen";
import type { PolicyCall } from "@/lib/migration/rules/equivalent-calls";
import { type RecordedWrite, type Recording, readRecording } from "@/lib/migration/rules/recorded-calls";
import { runTrail } from "./paths";
import { RecordedUses } from "./recorded-uses";
import { fieldWords } from "./run-messages";

const EXAMPLE = '{\n  "insurances": []\n}';

/** What a legacy write would do to a patient, under both settings of the switch, before the deadline and after it. */
export function WhatIf({ practice, base }: { practice: number; base: string }) {
  const [patient, setPatient] = useState("");
  const [text, setText] = useState(EXAMPLE);
  const [recording, setRecording] = useState<Recording | null>(null);
  const [unreadable, setUnreadable] = useState<string | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const ask = useMutation({
    mutationFn: () => {
      const body = { patient: Number(patient), body: JSON.parse(text) };
      return staffCall<WhatWouldHappen>(`practices/${practice}/migrations/rehearsals`, { method: "POST", body });
    },
  });
  const begin = () => {
    setWrong(null);
    try {
      JSON.parse(text);
    } catch (error) {
      setWrong(`The body is not JSON: ${(error as Error).message}`);
      return;
    }
    ask.mutate();
  };
  // An answer stands for what was asked, and for nothing that is typed after it.
  const askOf = (id: string, body: string) => {
    setPatient(id);
    setText(body);
    ask.reset();
  };
  const take = ({ patient: id, body }: RecordedWrite) => askOf(String(id), JSON.stringify(body, null, 2));
  const read = async (file: File | undefined) => {
    if (!file) return;
    setUnreadable(null);
    setRecording(null);
    try {
      const found = await readRecording(textsOf(file));
      setRecording(found);
      if (found.writes[0]) take(found.writes[0]);
    } catch (error) {
      setUnreadable((error as Error).message);
    }
  };
  const failure = toFormError(ask.error, "Nothing could be said");
  const problems = fieldErrors(ask.error);
  return (
    <>
      <PageHeader
        trail={runTrail(practice)}
        title="What would happen"
        meta="A legacy write, carried out four times over and undone each time. Nothing is written."
      />
      <form
        className="mb-8 flex max-w-2xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          begin();
        }}
      >
        <Field
          label="Recorded calls"
          help="A HAR file of a client's calls, or an access log (combined format or JSON lines), where you have one. It stays in the browser."
          error={unreadable ?? undefined}
        >
          {(tied) => (
            <Input
              {...tied}
              type="file"
              accept=".har,.json,.log,.txt,.jsonl,.ndjson"
              className={`${inputClass} file:bg-sunken h-auto py-1.5 file:mr-3 file:rounded file:border-0 file:px-2 file:py-1 file:font-medium`}
              onChange={(event) => void read(event.target.files?.[0])}
            />
          )}
        </Field>
        {recording && <RecordedUses recording={recording} />}
        {recording && recording.writes.length > 0 && (
          <SelectField
            label={`${pluralize(recording.allWrites, "legacy write")} with what was sent`}
            help={
              recording.allWrites > recording.writes.length
                ? `The first ${formatNumber(recording.writes.length)} can be picked.`
                : undefined
            }
            onChange={(event) => take(recording.writes[Number(event.target.value)] as RecordedWrite)}
          >
            {recording.writes.map((write, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the calls of a file never change their places.
              <option key={at} value={at}>
                {write.method} patient {write.patient}, {Object.keys(write.body).join(", ").slice(0, 80)}
              </option>
            ))}
          </SelectField>
        )}
        <TextField
          label="Patient ID"
          required
          inputMode="numeric"
          className="max-w-56"
          value={patient}
          error={problems.patient?.[0]}
          onChange={(event) => askOf(event.target.value, text)}
        />
        <TextAreaField
          label="Body of the PUT or PATCH"
          required
          rows={12}
          spellCheck={false}
          className="[&_textarea]:font-mono [&_textarea]:text-sm"
          value={text}
          error={wrong ?? undefined}
          onChange={(event) => askOf(patient, event.target.value)}
        />
        {failure && (
          <Notice tone="bad" live title={failure.title}>
            {failure.message}
            {Object.entries(problems).map(([field, messages]) => (
              <p key={field}>
                <code className="font-mono">{field}</code>: {messages.join(" ")}
              </p>
            ))}
          </Notice>
        )}
        <div>
          <Button kind="primary" type="submit" busy={ask.isPending} disabled={!/^\d{1,15}$/.test(patient)}>
            Show what would happen
          </Button>
        </div>
      </form>
      {ask.data && <Answer answer={ask.data} base={base} />}
    </>
  );
}

/** A file's text in pieces: a log may be larger than what a page can hold. */
async function* textsOf(file: File): AsyncGenerator<string> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

const WORDS = { before: "before the deadline", after: "after the deadline, enforced" } as const;
const titleOf = ({ versioning, deadline }: Scenario) =>
  `Insurance Versioning ${versioning ? "on" : "off"}, ${WORDS[deadline]}`;

function Answer({ answer, base }: { answer: WhatWouldHappen; base: string }) {
  const { patient, scenarios, calls } = answer;
  return (
    <>
      <Section title={`What it does to ${patient.name}`}>
        <div className="grid gap-4 lg:grid-cols-2">
          {scenarios.map((scenario) => (
            <ScenarioCard key={titleOf(scenario)} scenario={scenario} />
          ))}
        </div>
      </Section>
      <Section
        title="The same by the policy endpoints"
        lead="As with Insurance Versioning on: these calls do to the policies what the write does. $TOKEN is the client's access token."
      >
        {calls.length === 0 ? (
          <p className="text-soft">No call is needed: the write changes no insurance.</p>
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
    <article aria-label={titleOf(scenario)} className="border-line bg-raised rounded-md border px-4 py-3">
      <h3 className="mb-2 font-semibold">{titleOf(scenario)}</h3>
      {refused ? (
        <p className="text-bad">
          Refused with {refused.code}: {refused.message}
        </p>
      ) : (
        <>
          <p className="text-soft text-sm">Legacy records</p>
          {changed.length === 0 && <p>None changes.</p>}
          <ul className="list-disc pl-5">
            {changed.map(({ id, rank, carrier, kind }) => (
              <li key={`${id} ${kind}`}>
                {kind === "created" ? "A new record" : `Insurance ${id}`}, {rankText(rank)}
                {carrier && `, ${carrier}`}: {kind}
              </li>
            ))}
          </ul>
          <p className="text-soft mt-2 text-sm">Policies and card images</p>
          {policies.length === 0 && <p>None changes.</p>}
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
  const curl = curlOf(call, base);
  return (
    <li className="border-line bg-raised rounded-md border px-3 py-2">
      <Copyable value={curl} label="call" className="text-sm whitespace-pre-wrap" />
      {call.note && <p className="text-soft mt-1 text-sm">{call.note}</p>}
    </li>
  );
}

/** A call as it is typed into a shell; single quotes in it are written as a shell wants them. */
function curlOf({ method, path, body }: PolicyCall, base: string): string {
  const lines = [`curl -X ${method} '${base}${path}'`, `  -H "Authorization: Bearer $TOKEN"`];
  if (body) {
    lines.push("  -H 'Content-Type: application/json'", `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(" \\\n");
}
