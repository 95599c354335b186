import { Copyable } from "@/components/ui/copyable";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import { Day } from "@/components/ui/time";
import type { RecordPage } from "@/lib/migration/check/record-queries";
import { recordFacts as text } from "./messages/review";
import { patientLink, RECORD_STATES } from "./messages/terms";

const ISO_DATE = /^\d{4}-\d\d-\d\d$/;

/** Shows the record's state, and the IDs that identify the patient in the source and here. */
export function RecordFacts({
  practice,
  data: { run, record },
}: {
  practice: number;
  data: Pick<RecordPage, "run" | "record">;
}) {
  const state = RECORD_STATES[record.state];
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3">
      <Status kind={state.kind}>{state.text}</Status>
      {record.dob && <span>{text.born(ISO_DATE.test(record.dob) ? <Day value={record.dob} /> : record.dob)}</span>}
      {record.external_id && run.source === "file" && (
        <span>{text.sourceId(<Copyable value={record.external_id} label={text.copySourceId} />)}</span>
      )}
      {run.source === "file" && <span>{text.line(record.line)}</span>}
      {record.patient_id !== null && record.state !== "rolled_back" && (
        <TextLink href={`/practices/${practice}/patients/${record.patient_id}`}>
          {run.source === "file" ? patientLink(record.patient_id) : text.patientPage}
        </TextLink>
      )}
    </span>
  );
}
