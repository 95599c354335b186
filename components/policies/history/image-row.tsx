import type { ReactNode } from "react";
import { CardPicture } from "@/components/policies/cards/card-picture";
import type { ShownImage } from "@/components/policies/cards/card-text";
import { placePhrase } from "@/components/policies/cards/places";
import { classNames } from "@/components/ui/class-names";
import { cardPicture } from "../messages/card-sides";
import { comparison as text } from "../messages/history";
import { Added, Removed } from "./changed-value";
import type { ComparedImage } from "./difference";
import { DifferenceRow, ValueCell } from "./difference-row";

interface ImageRowProps {
  entry: ComparedImage;
  isSplit: boolean;
  lastChange: ReactNode;
  onViewOld: () => void;
  onViewNew: () => void;
}

/** Compares the card image at one place of two versions. */
export function ImageRow({ entry, isSplit, lastChange, onViewOld, onViewNew }: ImageRowProps) {
  const { place, old, now, changed } = entry;
  const before = old && changed && (
    <Removed plain>
      <Thumbnail image={old} borderClass="border-bad" onOpen={onViewOld} />
    </Removed>
  );
  const after = now && changed && (
    <Added plain>
      <Thumbnail image={now} borderClass="border-good" onOpen={onViewNew} />
    </Added>
  );
  const unchanged = now && !changed && <Thumbnail image={now} borderClass="border-line" onOpen={onViewNew} />;
  const none = <span className="text-soft">{text.noImage}</span>;
  return (
    <DifferenceRow label={text.cardSide(placePhrase(place))} changed={changed} lastChange={lastChange}>
      {isSplit ? (
        <>
          <ValueCell>{before || unchanged || none}</ValueCell>
          <ValueCell>{after || unchanged || none}</ValueCell>
        </>
      ) : (
        <ValueCell>
          <span className="flex flex-wrap gap-3">
            {before}
            {after}
            {unchanged}
          </span>
        </ValueCell>
      )}
    </DifferenceRow>
  );
}

interface ThumbnailProps {
  image: ShownImage;
  borderClass: string;
  onOpen: () => void;
}

function Thumbnail({ image, borderClass, onOpen }: ThumbnailProps) {
  return (
    <button
      type="button"
      onClick={onOpen}
      aria-label={cardPicture.enlarge(placePhrase(image.image_rank))}
      className={classNames("bg-sunken block overflow-hidden rounded-md border-2", borderClass)}
    >
      <CardPicture image={image} className="h-20 w-auto object-contain" />
    </button>
  );
}
