"use client";

import { type ReactNode, useMemo, useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { Notice } from "@/components/ui/notice";
import { historyControls as text } from "../messages/history";
import type { PolicyRef } from "../paths";
import { useVersion, type VersionDetail } from "./use-versions";
import { type DifferenceView, VersionDifference } from "./version-difference";
import { VersionFacts } from "./version-facts";

interface VersionComparisonProps {
  policy: PolicyRef;
  /** 0 to compare with nothing. */
  from: number;
  to: number;
  newest: number;
  view: DifferenceView;
  /** Whether to show unchanged fields too. */
  showAll: boolean;
  onShowAll: () => void;
  onVersion: (version: number) => void;
  onCompareWithCurrent: () => void;
  /** Further actions beside the facts about the newer version. */
  actions: ReactNode;
}

/** Loads two versions and shows what differs between them. */
export function VersionComparison(props: VersionComparisonProps) {
  const { policy, from, to, newest, view, showAll, onShowAll, onVersion, onCompareWithCurrent, actions } = props;
  const older = useVersion(policy, from);
  const newer = useVersion(policy, to);
  const pair = useLatestPair(from > 0 ? older.data : null, newer.data);
  const error = newer.error ?? older.error;
  if (error) {
    const reload = () => {
      void older.refetch();
      void newer.refetch();
    };
    return (
      <Notice tone="bad" live title={text.loadFailed}>
        <p>{error.message}</p>
        <Button className="mt-2" onClick={reload}>
          {text.retry}
        </Button>
      </Notice>
    );
  }
  if (!pair) return <Skeleton />;
  const isStale = pair.newer.version !== to || (pair.older?.version ?? 0) !== from;
  return (
    <div
      className={classNames("transition-opacity duration-150", isStale && "opacity-60")}
      aria-busy={isStale || undefined}
    >
      <VersionFacts version={pair.newer} older={pair.older} newest={newest}>
        {to !== newest && (
          <Button aria-keyshortcuts="c" onClick={onCompareWithCurrent}>
            {text.compareWithCurrent}
          </Button>
        )}
        {actions}
      </VersionFacts>
      <VersionDifference
        older={pair.older}
        newer={pair.newer}
        view={view}
        showAll={showAll}
        onShowAll={onShowAll}
        onVersion={onVersion}
      />
    </div>
  );
}

interface Pair {
  older: VersionDetail | null;
  newer: VersionDetail;
}

/** Returns the two versions once both have loaded, and the previous two until then. */
function useLatestPair(older: VersionDetail | null | undefined, newer: VersionDetail | undefined): Pair | null {
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
