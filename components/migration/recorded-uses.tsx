import { formatNumber } from "@/components/ui/format";
import { findReplacement, type Recording } from "@/lib/migration/what-if/recorded-calls";
import { recordedUses as text } from "./messages/what-if";

const MAX_SHOWN = 50;

/** Shows the legacy endpoints used in a recording, by client, with the calls that replace them. */
export function RecordedUses({ recording: { uses, calls, unread } }: { recording: Recording }) {
  const read = unread > 0 ? text.readSkipped(calls, unread) : text.read(calls);
  if (uses.length === 0) return <p className="text-soft">{text.none(read)}</p>;
  return (
    <div>
      <p className="text-soft mb-2">
        {read} {uses.length > MAX_SHOWN && text.most(MAX_SHOWN)}
      </p>
      <ul aria-label={text.label} className="border-line bg-raised rounded-md border">
        {uses.slice(0, MAX_SHOWN).map(({ endpoint, agent, calls: count }) => (
          <li key={`${endpoint} ${agent}`} className="border-line border-b px-3 py-1.5 last:border-0">
            <p className="flex flex-wrap justify-between gap-x-3">
              <span>
                <span className="font-mono text-sm">{endpoint}</span>
                {agent && <span className="break-words"> {text.agent(agent)}</span>}
              </span>
              <span className="tabular-nums">{formatNumber(count)}</span>
            </p>
            <p className="text-soft text-sm">
              {text.instead(<span className="font-mono break-words">{findReplacement(endpoint)}</span>)}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
