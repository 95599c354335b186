"use client";

import Link from "next/link";
import { type ReactNode, useState } from "react";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { pluralize } from "./format";
import { Notice } from "./notice";
import { Status } from "./status";
import { type BulkResult, useBulk } from "./use-bulk";

const MOST_SHOWN = 200;

interface BulkDialogProps {
  title: string;
  description: string;
  /** What is done, as a word that begins a button: `Retry`. */
  act: string;
  /** The same of what is under way and of what is done: `Retrying`, `retried`. */
  acting: string;
  acted: string;
  /** What is counted: `event`. */
  noun: string;
  /** The records it is about; null while they are counted. */
  ids: readonly number[] | null;
  /** Why they could not be counted. */
  error: Error | null;
  /** Said before it begins, below how many there are. */
  before: ReactNode;
  /** Records at once. */
  size: number;
  run: (ids: readonly number[]) => Promise<BulkResult[]>;
  hrefOf: (id: number) => string;
  onClose: () => void;
  onEnd: () => void;
}

/**
 * Does one thing with many records: says first how many, then how far it is, then what came of each. It can be stopped, and
 * the rest be taken up again; so too where the network is lost on the way.
 */
export function BulkDialog(props: BulkDialogProps) {
  const { title, description, act, acting, acted, noun, error, before, size, run, hrefOf, onClose, onEnd } = props;
  // What fits may change while it runs: the first answer is what was agreed to.
  const [agreed, setAgreed] = useState(props.ids);
  if (agreed === null && props.ids !== null) setAgreed(props.ids);
  const bulk = useBulk({ ids: agreed ?? [], size, run, onEnd });
  const { results, left, running, stopped, problem } = bulk;
  const all = agreed?.length ?? 0;
  const begun = results.length > 0 || running || stopped || problem !== null;
  const done = results.length;
  return (
    <Dialog
      open
      onClose={running ? bulk.stop : onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={running ? bulk.stop : onClose}>{running ? "Stop" : begun ? "Close" : "Cancel"}</Button>
          {left > 0 && (
            <Button kind="primary" busy={running} onClick={bulk.start}>
              {running ? acting : begun ? `${act} the other ${left}` : `${act} ${pluralize(left, noun)}`}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {error && agreed === null && (
          <Notice tone="bad" live title={`The ${noun}s could not be counted`}>
            {error.message}
          </Notice>
        )}
        {agreed === null && !error && <p role="status">Counting…</p>}
        {agreed !== null && !begun && <div role="status">{before}</div>}
        {begun && <Progress label={capital(acted)} done={done} of={all} words={`${done} of ${all} ${acted}`} />}
        {stopped && left > 0 && (
          <Notice live title={`Stopped after ${done} of ${all}`}>
            What came of {pluralize(done, noun)} stands below. The other {left} were not {acted}.
          </Notice>
        )}
        {problem && (
          <Notice tone="bad" live title={`Stopped after ${done} of ${all}`}>
            {problem.status === 0
              ? `The server can't be reached. The ${pluralize(done, noun)} below stay done; the other ${left} can be ${acted} once you are back online. Asking twice does no harm.`
              : `${problem.message} The ${pluralize(done, noun)} below stay done.`}
          </Notice>
        )}
        {done > 0 && <Results noun={noun} results={results} hrefOf={hrefOf} />}
      </div>
    </Dialog>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Progress({ label, done, of, words }: { label: string; done: number; of: number; words: string }) {
  return (
    <div>
      <progress aria-label={label} max={of} value={done} />
      <p role="status">{words}</p>
    </div>
  );
}

function Results(props: { noun: string; results: readonly BulkResult[]; hrefOf: (id: number) => string }) {
  const { noun, results, hrefOf } = props;
  // What needs a person comes first.
  const sorted = [...results].sort((a, b) => Number(a.kind === "good") - Number(b.kind === "good"));
  return (
    <>
      <table aria-label={`What came of each ${noun}`} className="w-full border-collapse">
        <tbody>
          {sorted.slice(0, MOST_SHOWN).map(({ id, kind, text }) => (
            <tr key={id} className="border-line border-t">
              <th scope="row" className="py-1 pr-3 text-left align-top font-normal">
                <Link
                  href={hrefOf(id)}
                  prefetch={false}
                  className="inline-flex min-h-6 min-w-6 items-center font-mono hover:underline"
                >
                  {id}
                </Link>
              </th>
              <td className="py-1 [&>span]:whitespace-normal">
                <Status kind={kind}>{text}</Status>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > MOST_SHOWN && (
        <p className="text-soft">And {pluralize(sorted.length - MOST_SHOWN, `other ${noun}`)}.</p>
      )}
    </>
  );
}
