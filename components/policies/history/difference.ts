import type { ShownImage } from "@/components/policies/cards/card-text";
import { HISTORY_GROUPS, type HistoryField } from "./history-fields";
import type { VersionDetail } from "./use-versions";

/** A field of two versions. */
export interface ComparedField {
  field: HistoryField;
  old: unknown;
  now: unknown;
  changed: boolean;
}

/** A card image in two versions. */
export interface ComparedImage {
  place: number;
  old: ShownImage | undefined;
  now: ShownImage | undefined;
  changed: boolean;
}

export interface Difference {
  groups: { title: string; fields: ComparedField[] }[];
  images: ComparedImage[];
  changed: number;
  unchanged: number;
}

/** Compares two versions. Without an older one, everything counts as added. */
export function compareVersions(older: VersionDetail | null, newer: VersionDetail): Difference {
  const before: Record<string, unknown> = older?.policy ?? {};
  const after: Record<string, unknown> = newer.policy;
  const groups = HISTORY_GROUPS.map(({ title, fields }) => ({
    title,
    fields: fields.map((field) => {
      const old = before[field.name] ?? null;
      const now = after[field.name] ?? null;
      return { field, old, now, changed: old !== now };
    }),
  }));
  const images = compareImages(older?.policy.card_images ?? [], newer.policy.card_images);
  const all = [...groups.flatMap(({ fields }) => fields), ...images];
  const changed = all.filter((entry) => entry.changed).length;
  return { groups, images, changed, unchanged: all.length - changed };
}

function compareImages(before: readonly ShownImage[], after: readonly ShownImage[]): ComparedImage[] {
  const places = [...new Set([...before, ...after].map(({ image_rank }) => image_rank))].sort((a, b) => a - b);
  return places.map((place) => {
    const old = before.find(({ image_rank }) => image_rank === place);
    const now = after.find(({ image_rank }) => image_rank === place);
    return { place, old, now, changed: old?.sha256 !== now?.sha256 };
  });
}
