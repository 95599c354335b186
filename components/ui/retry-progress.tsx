import type { CallError } from "@/components/session/call-error";
import { Notice } from "./notice";
import type { RetryDialogText } from "./retry-text";
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
  text: RetryDialogText;
  results: readonly RetryResult[];
  total: number;
  stopped: boolean;
  error: CallError | null;
  /** Path of the list's page; an event's page is below it. */
  path: string;
}

/** Shows how many events were retried, why the rest were not, and the result of each. */
export function RetryProgress({ text, results, total, stopped, error, path }: RetryProgressProps) {
  const done = results.length;
  const remaining = total - done;
  return (
    <>
      <div>
        <progress aria-label={text.progressLabel} max={total} value={done} />
        <p role="status">{text.progress(done, total)}</p>
      </div>
      {stopped && remaining > 0 && (
        <Notice live title={text.stopped(done, total)}>
          {text.stoppedByUser(done, remaining)}
        </Notice>
      )}
      {error && (
        <Notice tone="bad" live title={text.stopped(done, total)}>
          {error.status === 0 ? text.offline(done, remaining) : text.failed(error.message, done)}
        </Notice>
      )}
      {done > 0 && <Results text={text} results={results} path={path} />}
    </>
  );
}

function Results({ text, results, path }: Pick<RetryProgressProps, "text" | "results" | "path">) {
  // Results that need attention come first.
  const sorted = results.toSorted((one, other) => Number(one.kind === "good") - Number(other.kind === "good"));
  return (
    <>
      <table aria-label={text.results} className="w-full border-collapse">
        <tbody>
          {sorted.slice(0, MAX_SHOWN).map(({ id, kind, text: outcome }) => (
            <tr key={id} className="border-line border-t">
              <th scope="row" className="py-1 pr-3 text-left align-top font-normal">
                <TextLink href={`${path}/${id}`} className="font-mono">
                  {id}
                </TextLink>
              </th>
              <td className="py-1 [&>span]:whitespace-normal">
                <Status kind={kind}>{outcome}</Status>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > MAX_SHOWN && <p className="text-soft">{text.moreResults(sorted.length - MAX_SHOWN)}</p>}
    </>
  );
}
