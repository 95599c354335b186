"use client";

import { UnfoldVertical } from "lucide-react";
import { type ReactNode, useState } from "react";
import { CardPicture } from "@/components/policies/cards/card-picture";
import { placeName, type ShownImage } from "@/components/policies/cards/card-text";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Time } from "@/components/ui/time";
import { Added, Removed, SideOfChange, UnifiedChange } from "./changed-value";
import { type ComparedField, type ComparedImage, compareVersions } from "./difference";
import { FieldValue, isEmpty } from "./field-value";
import type { HistoryField } from "./history-fields";
import type { VersionDetail } from "./use-versions";

const CardViewer = lazyWithRetry(async () => (await import("@/components/policies/cards/card-viewer")).CardViewer);

export type View = "unified" | "split";

interface VersionDifferenceProps {
  /** null before the first version. */
  older: VersionDetail | null;
  newer: VersionDetail;
  view: View;
  /** Unchanged fields too. */
  all: boolean;
  onAll: (all: boolean) => void;
  onVersion: (version: number) => void;
}

/** What differs between two versions, field by field, with who last changed each. */
export function VersionDifference({ older, newer, view, all, onAll, onVersion }: VersionDifferenceProps) {
  const [large, setLarge] = useState<{ version: VersionDetail; rank: number } | null>(null);
  const { groups, images, changed, unchanged } = compareVersions(older, newer);
  const split = view === "split";
  const columns = split ? 4 : 3;
  const seen = <T extends { changed: boolean }>(entries: readonly T[]) =>
    all ? entries : entries.filter((entry) => entry.changed);
  const shownImages = seen(images);
  const last = (field: string) => {
    const change = newer.last_changes[field];
    return change && <LastChange change={change} onVersion={onVersion} />;
  };
  return (
    <>
      <p role="status" className="sr-only">
        {older ? `Version ${newer.version} compared with version ${older.version}` : `Version ${newer.version}`}:{" "}
        {changed === 1 ? "1 field differs" : `${changed} fields differ`}
      </p>
      <div className="border-line bg-raised overflow-hidden rounded-md border">
        <table className="w-full table-fixed border-collapse">
          <colgroup>
            <col className="w-[32%] md:w-44" />
            <col />
            {split && <col />}
            <col className="w-0 md:w-44" />
          </colgroup>
          <thead>
            <tr className="border-line text-soft border-b text-left text-sm">
              <th scope="col" className="px-3 py-2 font-medium">
                Field
              </th>
              {split ? (
                <>
                  <th scope="col" className="px-3 py-2 font-medium">
                    {older ? `Version ${older.version}` : "Before"}
                  </th>
                  <th scope="col" className="px-3 py-2 font-medium">
                    Version {newer.version}
                  </th>
                </>
              ) : (
                <th scope="col" className="px-3 py-2 font-medium">
                  {all ? "Value" : "Change"}
                </th>
              )}
              <th scope="col" className="px-3 py-2 font-medium max-md:hidden">
                Last changed
              </th>
            </tr>
          </thead>
          {groups.map(({ title, fields }) => {
            const shown = seen(fields);
            return (
              shown.length > 0 && (
                <tbody key={title}>
                  <GroupRow title={title} columns={columns} />
                  {shown.map((entry) => (
                    <FieldRow key={entry.field.name} entry={entry} split={split} last={last(entry.field.name)} />
                  ))}
                </tbody>
              )
            );
          })}
          {shownImages.length > 0 && (
            <tbody>
              <GroupRow title="Card images" columns={columns} />
              {shownImages.map((entry) => (
                <ImageRow
                  key={entry.rank}
                  entry={entry}
                  split={split}
                  last={last("card_images")}
                  onOld={() => older && setLarge({ version: older, rank: entry.rank })}
                  onNow={() => setLarge({ version: newer, rank: entry.rank })}
                />
              ))}
            </tbody>
          )}
          {changed === 0 && !all && (
            <tbody>
              <tr>
                <td colSpan={columns} className="text-soft px-3 py-6 text-center">
                  No field differs between these versions.
                </td>
              </tr>
            </tbody>
          )}
        </table>
        {!all && unchanged > 0 && (
          <Button
            kind="quiet"
            className="border-line screen-only text-soft h-9 w-full rounded-none border-t"
            onClick={() => onAll(true)}
          >
            <UnfoldVertical aria-hidden className="size-4" /> Show {unchanged} unchanged{" "}
            {unchanged === 1 ? "field" : "fields"}
          </Button>
        )}
      </div>
      {large && (
        <CardViewer
          images={large.version.policy.card_images}
          start={large.version.policy.card_images.findIndex(({ image_rank }) => image_rank === large.rank)}
          of={`version ${large.version.version}`}
          onClose={() => setLarge(null)}
        />
      )}
    </>
  );
}

function GroupRow({ title, columns }: { title: string; columns: number }) {
  return (
    <tr className="border-line bg-sunken border-b">
      <th scope="colgroup" colSpan={columns} className="text-soft px-3 py-1 text-left text-sm font-medium">
        {title}
      </th>
    </tr>
  );
}

interface RowProps {
  label: string;
  changed: boolean;
  last: ReactNode;
  children: ReactNode;
}

function Row({ label, changed, last, children }: RowProps) {
  return (
    <tr className="border-line border-b align-top last:border-0">
      <th
        scope="row"
        className={classNames("px-3 py-2 text-left wrap-anywhere", changed ? "font-medium" : "text-soft font-normal")}
      >
        {label}
        {last && <span className="mt-0.5 block font-normal md:hidden">{last}</span>}
      </th>
      {children}
      <td className="px-3 py-2 max-md:hidden">{last}</td>
    </tr>
  );
}

const CELL = "px-3 py-2 wrap-anywhere";

function FieldRow({ entry, split, last }: { entry: ComparedField; split: boolean; last: ReactNode }) {
  const { field, old, now, changed } = entry;
  const change = { field, old, now };
  return (
    <Row label={field.label} changed={changed} last={isEmpty(now) && !changed ? null : last}>
      {split ? (
        <>
          <td className={CELL}>{changed ? <SideOfChange {...change} side="old" /> : same(field, old)}</td>
          <td className={CELL}>{changed ? <SideOfChange {...change} side="new" /> : same(field, now)}</td>
        </>
      ) : (
        <td className={CELL}>{changed ? <UnifiedChange {...change} /> : same(field, now)}</td>
      )}
    </Row>
  );
}

function same(field: HistoryField, value: unknown) {
  return (
    <span className="text-soft">
      {isEmpty(value) ? (
        <>
          <span aria-hidden>–</span>
          <span className="sr-only">Empty</span>
        </>
      ) : (
        <FieldValue field={field} value={value} />
      )}
    </span>
  );
}

interface ImageRowProps {
  entry: ComparedImage;
  split: boolean;
  last: ReactNode;
  onOld: () => void;
  onNow: () => void;
}

function ImageRow({ entry: { rank, old, now, changed }, split, last, onOld, onNow }: ImageRowProps) {
  const before = old && changed && (
    <Removed plain>
      <Thumbnail image={old} look="border-bad" onOpen={onOld} />
    </Removed>
  );
  const after = now && changed && (
    <Added plain>
      <Thumbnail image={now} look="border-good" onOpen={onNow} />
    </Added>
  );
  const unchanged = now && !changed && <Thumbnail image={now} look="border-line" onOpen={onNow} />;
  const nothing = <span className="text-soft">None</span>;
  return (
    <Row label={`Card: ${placeName(rank).toLowerCase()}`} changed={changed} last={last}>
      {split ? (
        <>
          <td className={CELL}>{before || unchanged || nothing}</td>
          <td className={CELL}>{after || unchanged || nothing}</td>
        </>
      ) : (
        <td className={CELL}>
          <span className="flex flex-wrap gap-3">
            {before}
            {after}
            {unchanged}
          </span>
        </td>
      )}
    </Row>
  );
}

function Thumbnail({ image, look, onOpen }: { image: ShownImage; look: string; onOpen: () => void }) {
  return (
    <button
      type="button"
      onClick={onOpen}
      aria-label={`View ${placeName(image.image_rank).toLowerCase()} large`}
      className={classNames("bg-sunken block overflow-hidden rounded-md border-2", look)}
    >
      <CardPicture image={image} className="h-20 w-auto object-contain" />
    </button>
  );
}

interface LastChangeProps {
  change: VersionDetail["last_changes"][string];
  onVersion: (version: number) => void;
}

function LastChange({ change, onVersion }: LastChangeProps) {
  return (
    <span className="text-soft block text-sm">
      <button
        type="button"
        onClick={() => onVersion(change.version)}
        aria-label={`Go to version ${change.version}`}
        className="text-accent inline-flex min-h-6 min-w-6 items-center font-mono hover:underline"
      >
        v{change.version}
      </button>{" "}
      {change.actor.name}, <Time value={change.occurred_date} />
    </span>
  );
}
