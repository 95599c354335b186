"use client";

import type { ReactNode } from "react";
import { Copyable } from "@/components/ui/copyable";
import { DetailRow } from "@/components/ui/details";
import { Dialog } from "@/components/ui/dialog";
import { Time } from "@/components/ui/time";
import type { AuditView } from "@/lib/access/audit/staff-queries";
import type { AuditNames } from "@/lib/api/audit/queries";
import { sourceText } from "../policies/change-sources";
import { entryDialog as text } from "./messages/log";
import { PatientLinks } from "./patient-links";
import { eventFacts } from "./security-event";
import { EntrySentence } from "./sentence";

/** Shows all fields of an audit entry. */
export function EntryDialog(props: { entry: AuditView; names: AuditNames; practice: number; onClose: () => void }) {
  const { entry, names, practice, onClose } = props;
  const { fields } = text;
  const facts: [string, ReactNode][] = [
    [fields.entry, <EntrySentence key="entry" practice={practice} entry={entry} names={names} limit={3} />],
    [fields.time, <Time key="time" value={entry.occurred_date} exact />],
    [fields.who, text.actor(entry.actor_name, entry.actor_type, entry.actor_id)],
    [fields.kind, text.kinds[entry.kind]],
    [fields.operation, <code key="operation">{entry.operation}</code>],
    [fields.path, entry.path && <code key="path">{entry.path}</code>],
    [fields.patients, <PatientLinks key="patients" practice={practice} entry={entry} limit={20} />],
    [fields.source, entry.source && sourceText(entry.source)],
    [fields.address, entry.address],
    [fields.reason, entry.reason],
    [fields.request, entry.request_id && <Copyable key="request" value={entry.request_id} label={text.requestId} />],
  ];
  if (entry.detail) facts.splice(4, 1, ...eventFacts(entry.operation, entry.detail));
  return (
    <Dialog open onClose={onClose} title={text.title(entry.seq)}>
      <dl className="grid grid-cols-[104px_1fr] gap-x-3 gap-y-1.5">
        {facts.map(([label, value]) => (
          <DetailRow key={label} label={label}>
            {value || <span className="text-soft">{text.none}</span>}
          </DetailRow>
        ))}
      </dl>
    </Dialog>
  );
}
