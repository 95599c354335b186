"use client";

import { Printer } from "lucide-react";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { NoteHistory } from "@/components/policy-notes/note-history";
import { IconButton } from "@/components/ui/button";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { SegmentedControl } from "@/components/ui/segmented-control";
import { historyControls as text } from "../messages/history";
import type { PolicyRef } from "../paths";
import { usePrintHistory } from "./use-print-history";
import { useVersionKeys } from "./use-version-keys";
import { useNewestVersion } from "./use-versions";
import { VersionComparison } from "./version-comparison";
import { VersionList } from "./version-list";
import { VersionPicker } from "./version-picker";

const PrintedVersions = lazyWithRetry(async () => (await import("./printed-versions")).PrintedVersions);

interface PolicyHistoryProps extends PolicyRef {
  currentVersion: number;
}

/** Lists the versions of a policy and compares two of them. The URL says which ones, and how they are shown. */
export function PolicyHistory(props: PolicyHistoryProps) {
  return (
    <NuqsAdapter>
      <History {...props} />
    </NuqsAdapter>
  );
}

function History({ currentVersion, ...policy }: PolicyHistoryProps) {
  const newest = useNewestVersion(policy, currentVersion);
  const [state, setState] = useQueryStates({
    version: parseAsInteger,
    with: parseAsInteger,
    view: parseAsStringLiteral(["unified", "split"]).withDefault("unified"),
    fields: parseAsStringLiteral(["changed", "all"]).withDefault("changed"),
  });
  const clamp = (number: number) => Math.min(newest, Math.max(1, number));
  const chosen = clamp(state.version ?? newest);
  // Without another choice, a version is compared with the one before it.
  const other = state.with === null || clamp(state.with) === chosen ? chosen - 1 : clamp(state.with);
  const [from, to] = chosen < other ? [chosen, other] : [other, chosen];

  const choose = (version: number) => void setState({ version: version === newest ? null : version });
  const compareWith = (number: number) => void setState({ with: number === chosen || number < 1 ? null : number });
  const compareWithCurrent = () => compareWith(state.with === newest ? chosen : newest);
  const pick = (picked: { from: number; to: number }) =>
    void setState({
      version: picked.to === newest ? null : picked.to,
      with: picked.from === picked.to - 1 ? null : picked.from,
    });
  useVersionKeys({
    c: compareWithCurrent,
    j: () => choose(clamp(chosen - 1)),
    k: () => choose(clamp(chosen + 1)),
  });
  const { printed, isPreparing, print } = usePrintHistory(policy, newest);
  return (
    <div className="@container">
      <div className="grid items-start gap-4 print:block @3xl:grid-cols-[20rem_minmax(0,1fr)]">
        <div className="screen-only min-w-0">
          <VersionList
            policy={policy}
            newest={newest}
            chosen={chosen}
            other={other}
            onChoose={choose}
            onCompareWith={compareWith}
          />
        </div>
        <div className="min-w-0">
          <div className="screen-only mb-3 flex flex-wrap items-end gap-x-3 gap-y-2">
            <VersionPicker newest={newest} from={from} to={to} onPick={pick} />
            <SegmentedControl
              label={text.view}
              value={state.view}
              options={[
                { value: "unified", label: text.unified },
                { value: "split", label: text.split },
              ]}
              onChange={(view) => void setState({ view })}
            />
            <SegmentedControl
              label={text.fields}
              value={state.fields}
              options={[
                { value: "changed", label: text.changed },
                { value: "all", label: text.all },
              ]}
              onChange={(fields) => void setState({ fields })}
            />
          </div>
          <VersionComparison
            policy={policy}
            from={from}
            to={to}
            newest={newest}
            view={state.view}
            showAll={state.fields === "all"}
            onShowAll={() => void setState({ fields: "all" })}
            onVersion={(version) => void setState({ version, with: null })}
            onCompareWithCurrent={compareWithCurrent}
            actions={
              <IconButton label={text.print} kind="plain" busy={isPreparing} onClick={print}>
                {!isPreparing && <Printer aria-hidden className="size-4" />}
              </IconButton>
            }
          />
        </div>
      </div>
      <PrintedVersions versions={printed} newest={newest} />
      <NoteHistory policy={policy} />
    </div>
  );
}
