"use client";

import { Printer } from "lucide-react";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useState } from "react";
import { Button, IconButton } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Notice } from "@/components/ui/notice";
import { BLOCK, type PolicyPlace } from "./history-keys";
import { useNewest, useVersion, useVersions, type VersionDetail } from "./use-versions";
import { VersionDifference } from "./version-difference";
import { VersionFacts } from "./version-facts";
import { VersionList } from "./version-list";
import { VersionPicker } from "./version-picker";

const PrintedVersions = lazyWithRetry(async () => (await import("./printed-versions")).PrintedVersions);

interface PolicyHistoryProps extends PolicyPlace {
  currentVersion: number;
}

/** The versions of a policy and the difference of any two; which ones, and how they are shown, is in the URL. */
export function PolicyHistory({ currentVersion, ...place }: PolicyHistoryProps) {
  const newest = useNewest(place, currentVersion);
  const [state, setState] = useQueryStates({
    version: parseAsInteger,
    with: parseAsInteger,
    view: parseAsStringLiteral(["unified", "split"]).withDefault("unified"),
    fields: parseAsStringLiteral(["changed", "all"]).withDefault("changed"),
  });
  const within = (number: number) => Math.min(newest, Math.max(1, number));
  const chosen = within(state.version ?? newest);
  const other = state.with === null || within(state.with) === chosen ? chosen - 1 : within(state.with);
  const [from, to] = chosen < other ? [chosen, other] : [other, chosen];

  const choose = (version: number) => void setState({ version: version === newest ? null : version });
  const compareWith = (number: number) => void setState({ with: number === chosen || number < 1 ? null : number });
  const compareWithCurrent = () => compareWith(state.with === newest ? chosen : newest);

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return;
    if (event.key === "c") compareWithCurrent();
    else if (event.key === "j") choose(within(chosen - 1));
    else if (event.key === "k") choose(within(chosen + 1));
    else return;
    event.preventDefault();
  });
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);

  const { printed, printing, print } = usePrinting(place, newest);
  return (
    <section aria-label="History">
      <div className="grid items-start gap-4 print:block min-[900px]:grid-cols-[20rem_minmax(0,1fr)]">
        <div className="screen-only min-w-0">
          <VersionList {...{ place, newest, chosen, other }} onChoose={choose} onCompareWith={compareWith} />
        </div>
        <div className="min-w-0">
          <div className="screen-only mb-3 flex flex-wrap items-end gap-x-3 gap-y-2">
            <VersionPicker
              {...{ place, newest, from, to }}
              onPick={(picked) =>
                void setState({ version: picked.to === newest ? null : picked.to, with: nullIfBefore(picked) })
              }
            />
            <Choice
              label="View"
              value={state.view}
              options={{ unified: "Unified", split: "Side by side" }}
              onChange={(view) => void setState({ view })}
            />
            <Choice
              label="Fields"
              value={state.fields}
              options={{ changed: "Changed", all: "All" }}
              onChange={(fields) => void setState({ fields })}
            />
            <IconButton label="Print the history" kind="plain" className="ml-auto" busy={printing} onClick={print}>
              {!printing && <Printer aria-hidden className="size-4" />}
            </IconButton>
          </div>
          <Compared
            {...{ place, from, to, newest }}
            view={state.view}
            all={state.fields === "all"}
            onAll={(all) => void setState({ fields: all ? "all" : null })}
            onVersion={(version) => void setState({ version, with: null })}
            onCurrent={compareWithCurrent}
          />
        </div>
      </div>
      <PrintedVersions versions={printed} newest={newest} />
    </section>
  );
}

interface ComparedProps {
  place: PolicyPlace;
  from: number;
  to: number;
  newest: number;
  view: "unified" | "split";
  all: boolean;
  onAll: (all: boolean) => void;
  onVersion: (version: number) => void;
  onCurrent: () => void;
}

function Compared({ place, from, to, newest, onCurrent, ...shown }: ComparedProps) {
  const [older, newer] = [useVersion(place, from), useVersion(place, to)];
  const pair = usePair(from > 0 ? older.data : null, newer.data);
  const error = newer.error ?? older.error;
  if (error) {
    return (
      <Notice tone="bad" live title="The versions could not be read">
        <p>{error.message}</p>
        <Button
          className="mt-2"
          onClick={() => {
            void older.refetch();
            void newer.refetch();
          }}
        >
          Read them again
        </Button>
      </Notice>
    );
  }
  if (!pair) return <Skeleton />;
  const stale = pair.newer.version !== to || (pair.older?.version ?? 0) !== from;
  return (
    <div
      className={classNames("transition-opacity duration-150", stale && "opacity-60")}
      aria-busy={stale || undefined}
    >
      <VersionFacts version={pair.newer} older={pair.older} newest={newest}>
        {to !== newest && (
          <Button size="small" className="screen-only" aria-keyshortcuts="c" onClick={onCurrent}>
            Compare with current
          </Button>
        )}
      </VersionFacts>
      <VersionDifference older={pair.older} newer={pair.newer} {...shown} />
    </div>
  );
}

interface Pair {
  older: VersionDetail | null;
  newer: VersionDetail;
}

/** Two versions that are both there; until the next two are, the last. */
function usePair(older: VersionDetail | null | undefined, newer: VersionDetail | undefined): Pair | null {
  const pair = useMemo(() => (older !== undefined && newer ? { older, newer } : null), [older, newer]);
  const [last, setLast] = useState(pair);
  if (pair && pair !== last) setLast(pair);
  return pair ?? last;
}

function Skeleton() {
  return (
    <div aria-busy className="border-line bg-raised rounded-md border p-3">
      {[1, 2, 3, 4, 5, 6].map((row) => (
        <div key={row} className="bg-sunken my-3 h-3 animate-pulse rounded" />
      ))}
    </div>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: Record<T, string>;
  onChange: (value: T) => void;
}

/** A few words of which one holds. */
function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  return (
    <fieldset className="border-edge/60 flex h-8 overflow-hidden rounded-md border">
      <legend className="sr-only">{label}</legend>
      {(Object.entries(options) as [T, string][]).map(([name, words]) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === value}
          onClick={() => onChange(name)}
          className={classNames(
            "px-2.5 font-medium focus-visible:-outline-offset-2",
            name === value ? "bg-accent-soft text-accent" : "bg-raised hover:bg-sunken",
          )}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}

/** What is printed is the difference and the list of all versions: those not loaded yet are loaded first. */
function usePrinting(place: PolicyPlace, newest: number) {
  const [whole, setWhole] = useState(newest <= BLOCK);
  const [asked, setAsked] = useState(false);
  const numbers = whole ? Array.from({ length: newest }, (_, index) => newest - index) : [];
  const { versions } = useVersions(place, newest, numbers);
  const ready = versions.size >= newest;
  useEffect(() => {
    if (!asked || !ready) return;
    setAsked(false);
    window.print();
  }, [asked, ready]);
  const print = () => {
    setWhole(true);
    setAsked(true);
  };
  const printed = numbers.flatMap((number) => versions.get(number) ?? []);
  return { printed, printing: asked, print };
}

/** The version just before is what is compared with where nothing else is asked for. */
const nullIfBefore = ({ from, to }: { from: number; to: number }) => (from === to - 1 ? null : from);

/** Keys typed into something belong to it. */
function isBusy(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest("input, textarea, select, [contenteditable], [role=dialog]") !== null
  );
}
