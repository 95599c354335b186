"use client";

import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { DateField, isDateOrEmpty } from "@/components/ui/date-field";
import { SelectField, TextField } from "@/components/ui/field";
import type { AuditActor } from "@/lib/access/audit/staff-queries";
import { auditFilters as text } from "./messages/log";

interface Filters {
  actor: string;
  patient: string;
  kind: string;
  since: string;
  until: string;
}
const NONE: Filters = { actor: "", patient: "", kind: "", since: "", until: "" };
const { staff, client, others } = text.groups;
const GROUPS = { staff, client, system: others, link: others, anonymous: others };

/** Filters by author, patient, kind and date. */
export function AuditFilters(props: {
  actors: readonly AuditActor[];
  value: Filters;
  onChange: (change: Partial<Filters>) => void;
}) {
  const { actors, value, onChange } = props;
  const [patient, setPatient] = useState(value.patient);
  useEffect(() => setPatient(value.patient), [value.patient]);
  const applyPatient = () => patient !== value.patient && onChange({ patient });
  return (
    <form
      aria-label={text.form}
      className="screen-only mb-3 grid grid-cols-2 items-end gap-3 md:grid-cols-3 xl:grid-cols-[1.5fr_1fr_1fr_1fr_1fr_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        applyPatient();
      }}
    >
      <SelectField
        label={text.actor}
        className="max-md:col-span-2"
        value={value.actor}
        onChange={(event) => onChange({ actor: event.target.value })}
      >
        <option value="">{text.everyone}</option>
        {[...new Set(Object.values(GROUPS))].map((group) => (
          <optgroup key={group} label={group}>
            {actors
              .filter(({ actor_type }) => GROUPS[actor_type] === group)
              .map((actor) => (
                <option key={actorKey(actor)} value={actorKey(actor)}>
                  {actor.name}
                </option>
              ))}
          </optgroup>
        ))}
      </SelectField>
      <TextField
        label={text.patient}
        inputMode="numeric"
        pattern="\d{1,15}"
        value={patient}
        onChange={(event) => setPatient(event.target.value.trim())}
        onBlur={applyPatient}
      />
      <SelectField label={text.kind} value={value.kind} onChange={(event) => onChange({ kind: event.target.value })}>
        <option value="">{text.kinds.all}</option>
        <option value="read">{text.kinds.read}</option>
        <option value="change">{text.kinds.change}</option>
        <option value="security">{text.kinds.security}</option>
      </SelectField>
      <DateField
        label={text.since}
        value={value.since}
        max={value.until || undefined}
        onChange={(since) => isDateOrEmpty(since) && onChange({ since })}
      />
      <DateField
        label={text.until}
        value={value.until}
        min={value.since || undefined}
        onChange={(until) => isDateOrEmpty(until) && onChange({ until })}
      />
      <Button
        disabled={Object.values(value).every((set) => set === "")}
        onClick={() => onChange(NONE)}
        className="max-md:col-span-2"
      >
        {text.clear}
      </Button>
      <button type="submit" hidden />
    </form>
  );
}

function actorKey({ actor_type, actor_id }: AuditActor): string {
  return actor_id === null ? actor_type : `${actor_type}-${actor_id}`;
}
