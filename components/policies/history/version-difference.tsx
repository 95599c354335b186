"use client";

import { UnfoldVertical } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { versionRanges } from "../messages/card-sides";
import { historyFields, comparison as text } from "../messages/history";
import { compareVersions } from "./difference";
import { DifferenceHead, GroupRow } from "./difference-head";
import { FieldRow } from "./field-row";
import { ImageRow } from "./image-row";
import { LastChange } from "./last-change";
import type { VersionDetail } from "./use-versions";

const CardViewer = lazyWithRetry(async () => (await import("@/components/policies/cards/card-viewer")).CardViewer);

export type DifferenceView = "unified" | "split";

interface VersionDifferenceProps {
  /** null to compare with nothing. */
  older: VersionDetail | null;
  newer: VersionDetail;
  view: DifferenceView;
  showAll: boolean;
  onShowAll: () => void;
  onVersion: (version: number) => void;
}

/** Shows what differs between two versions, field by field, and who last changed each field. */
export function VersionDifference({ older, newer, view, showAll, onShowAll, onVersion }: VersionDifferenceProps) {
  const [enlarged, setEnlarged] = useState<{ version: VersionDetail; place: number } | null>(null);
  const { groups, images, changed, unchanged } = compareVersions(older, newer);
  const isSplit = view === "split";
  const columns = isSplit ? 4 : 3;
  const filter = <T extends { changed: boolean }>(entries: readonly T[]) =>
    showAll ? entries : entries.filter((entry) => entry.changed);
  const shownGroups = groups.map(({ title, fields }) => ({ title, fields: filter(fields) }));
  const shownImages = filter(images);
  const lastChange = (field: string) => {
    const change = newer.last_changes[field];
    return change && <LastChange change={change} onVersion={onVersion} />;
  };
  return (
    <>
      <p role="status" className="sr-only">
        {older ? text.summary(newer.version, older.version, changed) : text.firstSummary(newer.version, changed)}
      </p>
      <div className="border-line bg-raised overflow-hidden rounded-md border">
        <table className="w-full table-fixed border-collapse">
          <DifferenceHead older={older} newer={newer} isSplit={isSplit} showAll={showAll} />
          {shownGroups.map(
            ({ title, fields }) =>
              fields.length > 0 && (
                <tbody key={title}>
                  <GroupRow title={title} columns={columns} />
                  {fields.map((entry) => (
                    <FieldRow
                      key={entry.field.name}
                      entry={entry}
                      isSplit={isSplit}
                      lastChange={lastChange(entry.field.name)}
                    />
                  ))}
                </tbody>
              ),
          )}
          {shownImages.length > 0 && (
            <tbody>
              <GroupRow title={historyFields.cardImages} columns={columns} />
              {shownImages.map((entry) => (
                <ImageRow
                  key={entry.place}
                  entry={entry}
                  isSplit={isSplit}
                  lastChange={lastChange("card_images")}
                  onViewOld={() => older && setEnlarged({ version: older, place: entry.place })}
                  onViewNew={() => setEnlarged({ version: newer, place: entry.place })}
                />
              ))}
            </tbody>
          )}
          {changed === 0 && !showAll && (
            <tbody>
              <tr>
                <td colSpan={columns} className="text-soft px-3 py-6 text-center">
                  {text.noDifference}
                </td>
              </tr>
            </tbody>
          )}
        </table>
        {!showAll && unchanged > 0 && (
          <Button
            kind="quiet"
            className="border-line screen-only text-soft h-9 w-full rounded-none border-t"
            onClick={onShowAll}
          >
            <UnfoldVertical aria-hidden className="size-4" /> {text.showUnchanged(unchanged)}
          </Button>
        )}
      </div>
      {enlarged && (
        <CardViewer
          images={enlarged.version.policy.card_images}
          start={enlarged.version.policy.card_images.findIndex(({ image_rank }) => image_rank === enlarged.place)}
          of={versionRanges.one(enlarged.version.version)}
          onClose={() => setEnlarged(null)}
        />
      )}
    </>
  );
}
