"use client";

import { useState } from "react";
import { errorMessage } from "@/components/ui/error-message";
import { SelectField } from "@/components/ui/field";
import { FileField } from "@/components/ui/file-field";
import { formatNumber, pluralize } from "@/components/ui/format";
import { type RecordedWrite, type Recording, readRecording } from "@/lib/migration/what-if/recorded-calls";
import { RecordedUses } from "./recorded-uses";

/** Reads a recording of a client's calls in the browser, and lets the user pick one of its legacy writes. */
export function RecordedCalls({ onChoose }: { onChoose: (write: RecordedWrite) => void }) {
  const [recording, setRecording] = useState<Recording | null>(null);
  const [error, setError] = useState<string | null>(null);
  const read = async (file: File | null) => {
    if (!file) return;
    setError(null);
    setRecording(null);
    try {
      const found = await readRecording(textChunks(file));
      setRecording(found);
      if (found.writes[0]) onChoose(found.writes[0]);
    } catch (cause) {
      setError(errorMessage(cause));
    }
  };
  const choose = (at: number) => {
    const write = recording?.writes[at];
    if (write) onChoose(write);
  };
  return (
    <>
      <FileField
        label="Recorded calls"
        help="Optional. A HAR file of a client's calls, or an access log in combined format or JSON lines. It stays in the browser."
        error={error ?? undefined}
        accept=".har,.json,.log,.txt,.jsonl,.ndjson"
        onFile={(file) => void read(file)}
      />
      {recording && <RecordedUses recording={recording} />}
      {recording && recording.writes.length > 0 && (
        <SelectField
          label={`${pluralize(recording.allWrites, "legacy write")} with a body`}
          help={
            recording.allWrites > recording.writes.length
              ? `The first ${formatNumber(recording.writes.length)} can be selected.`
              : undefined
          }
          onChange={(event) => choose(Number(event.target.value))}
        >
          {recording.writes.map((write, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order of calls in a file is fixed.
            <option key={at} value={at}>
              {write.method} patient {write.patient}, {Object.keys(write.body).join(", ").slice(0, 80)}
            </option>
          ))}
        </SelectField>
      )}
    </>
  );
}

/** Reads a file in chunks, because a log may not fit into memory. */
async function* textChunks(file: File): AsyncGenerator<string> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}
