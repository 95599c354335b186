"use client";

import type { ReactNode } from "react";
import { Copyable } from "@/components/ui/copyable";
import { DetailRow } from "@/components/ui/details";
import { Dialog } from "@/components/ui/dialog";
import { Time } from "@/components/ui/time";
import type { AuditView } from "@/lib/access/audit/staff-queries";
import { PatientLinks } from "./patient-links";
import { eventFacts } from "./security-event";

const KINDS = { read: "Read", change: "Change", security: "Security event" };

/** Shows all fields of an audit entry. */
export function EntryDialog(props: { entry: AuditView; practice: number; onClose: () => void }) {
  const { entry, practice, onClose } = props;
  const facts: [string, ReactNode][] = [
    ["Time", <Time key="time" value={entry.occurred_date} exact />],
    ["Who", `${entry.actor_name}${entry.actor_id === null ? "" : ` (${entry.actor_type} ${entry.actor_id})`}`],
    ["Kind", KINDS[entry.kind]],
    ["Operation", <code key="operation">{entry.operation}</code>],
    ["Path", entry.path && <code key="path">{entry.path}</code>],
    ["Patients", <PatientLinks key="patients" practice={practice} entry={entry} limit={20} />],
    ["Source", entry.source],
    ["Address", entry.address],
    ["Reason", entry.reason],
    ["Request ID", entry.request_id && <Copyable key="request" value={entry.request_id} label="request ID" />],
  ];
  if (entry.detail) facts.splice(3, 1, ...eventFacts(entry.operation, entry.detail));
  return (
    <Dialog open onClose={onClose} title={entry.seq === null ? "Entry (not sealed yet)" : `Entry ${entry.seq}`}>
      <dl className="grid grid-cols-[104px_1fr] gap-x-3 gap-y-1.5">
        {facts.map(([label, value]) => (
          <DetailRow key={label} label={label}>
            {value || <span className="text-soft">None</span>}
          </DetailRow>
        ))}
      </dl>
    </Dialog>
  );
}
