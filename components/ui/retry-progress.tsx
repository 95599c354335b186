import type { CallError } from "@/components/session/call-error";
import { pluralize } from "./format";
import { Notice } from "./notice";
import { Status, type StatusKind } from "./status";
import { TextLink } from "./text-link";

const MAX_SHOWN = 200;

/** The result of retrying one event. */
export interface RetryResult {
  id: number;
  kind: StatusKind;
  text: string;
}

interface RetryProgressProps {
  results: readonly RetryResult[];
  total: number;
  stopped: boolean;
  error: CallError | null;
  /** Path of the list's page; an event's page is below it. */
  path: string;
}

/** Shows how many events were retried, why the rest were not, and the result of each. */
export function RetryProgress({ results, total, stopped, error, path }: RetryProgressProps) {
  const done = results.length;
  const remaining = total - done;
  return (
    <>
      <div>
        <progress aria-label="Retried" max={total} value={done} />
        <p role="status">{`${done} of ${total} retried`}</p>
      </div>
      {stopped && remaining > 0 && (
        <Notice live title={`Stopped after ${done} of ${total}`}>
          The results of {pluralize(done, "event")} are below. The other {remaining} were not retried.
        </Notice>
      )}
      {error && (
        <Notice tone="bad" live title={`Stopped after ${done} of ${total}`}>
          {error.status === 0
            ? `The server can't be reached. ${pluralize(done, "event")} below were retried. You can retry the remaining ${remaining} when you are back online. Retrying an event twice is safe.`
            : `${error.message} ${pluralize(done, "event")} below were retried.`}
        </Notice>
      )}
      {done > 0 && <Results results={results} path={path} />}
    </>
  );
}

function Results({ results, path }: Pick<RetryProgressProps, "results" | "path">) {
  // Results that need attention come first.
  const sorted = results.toSorted((one, other) => Number(one.kind === "good") - Number(other.kind === "good"));
  return (
    <>
      <table aria-label="Event results" className="w-full border-collapse">
        <tbody>
          {sorted.slice(0, MAX_SHOWN).map(({ id, kind, text }) => (
            <tr key={id} className="border-line border-t">
              <th scope="row" className="py-1 pr-3 text-left align-top font-normal">
                <TextLink href={`${path}/${id}`} className="font-mono">
                  {id}
                </TextLink>
              </th>
              <td className="py-1 [&>span]:whitespace-normal">
                <Status kind={kind}>{text}</Status>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > MAX_SHOWN && (
        <p className="text-soft">And {pluralize(sorted.length - MAX_SHOWN, "other event")}.</p>
      )}
    </>
  );
}
