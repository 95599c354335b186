"use client";

import { useState } from "react";
import { errorMessage } from "@/components/ui/error-message";
import { SelectField } from "@/components/ui/field";
import { FileField } from "@/components/ui/file-field";
import { type RecordedWrite, type Recording, readRecording } from "@/lib/migration/what-if/recorded-calls";
import { recordedCalls as text } from "./messages/what-if";
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
        label={text.label}
        help={text.help}
        error={error ?? undefined}
        accept=".har,.json,.log,.txt,.jsonl,.ndjson"
        onFile={(file) => void read(file)}
      />
      {recording && <RecordedUses recording={recording} />}
      {recording && recording.writes.length > 0 && (
        <SelectField
          label={text.writes(recording.allWrites)}
          help={recording.allWrites > recording.writes.length ? text.writesLimit(recording.writes.length) : undefined}
          onChange={(event) => choose(Number(event.target.value))}
        >
          {recording.writes.map((write, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order of calls in a file is fixed.
            <option key={at} value={at}>
              {text.write(write.method, write.patient, Object.keys(write.body).join(", ").slice(0, 80))}
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
