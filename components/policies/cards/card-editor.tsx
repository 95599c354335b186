"use client";

import "react-image-crop/dist/ReactCrop.css";
import { Crop, RotateCcw, RotateCw } from "lucide-react";
import { type KeyboardEvent, useEffect, useState } from "react";
import ReactCrop, { type PercentCrop } from "react-image-crop";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { SelectField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { placeName } from "./card-text";
import { type CropArea, drawPicture, finishPicture, type ImageLimits, type Picture, toBlob } from "./picture";
import { UploadProgress } from "./upload-progress";
import { type SendPicture, useOnline, useUpload } from "./use-upload";

interface CardEditorProps {
  picture: Picture;
  /** Where it goes unless told otherwise. */
  rank: number;
  /** Where it may go instead. */
  places: readonly number[];
  nameOf?: (place: number) => string;
  /** Places that show an image. */
  taken: readonly number[];
  limits: ImageLimits;
  /** Closed, it keeps the picture and what was done to it. */
  open: boolean;
  onClose: () => void;
  onSend: SendPicture;
}

const PREVIEW_PIXELS = 1_200_000;
const MOST: PercentCrop = { unit: "%", x: 5, y: 5, width: 90, height: 90 };

/** Preview of a picture before it is uploaded: turn, crop, choose the side; progress and retry of the upload. */
export function CardEditor(props: CardEditorProps) {
  const { picture, rank: first, places, nameOf = placeName, taken, limits, open, onClose, onSend } = props;
  const [turns, setTurns] = useState(0);
  const [crop, setCrop] = useState<PercentCrop>();
  const [rank, setRank] = useState(first);
  const preview = usePreview(picture, turns);
  const { progress, problem, start, stop } = useUpload(onSend);
  const sending = progress !== null;

  const turn = (quarters: number) => {
    setTurns((before) => (before + quarters + 4) % 4);
    setCrop(undefined);
  };
  const upload = () => {
    const part = partOf(crop);
    void start(() => finishPicture(picture, { turns, part }, limits), rank);
  };
  const press = (event: KeyboardEvent) => {
    if (sending || (event.target as Element).closest("select")) return;
    if (event.key === "]" || event.key === "r") turn(1);
    else if (event.key === "[" || event.key === "R") turn(-1);
    else return;
    event.preventDefault();
  };
  useOnline(() => open && problem?.offline && upload());
  const close = () => {
    stop();
    onClose();
  };

  const replaces = taken.includes(rank);
  return (
    <Dialog
      open={open}
      wide
      onClose={close}
      title={`${replaces ? "Replace" : "Add"} card image: ${nameOf(rank)}`}
      description="Turn it upright and crop it to the card. Nothing is uploaded before you say so."
      footer={
        <>
          <Button onClick={close}>{sending ? "Stop" : "Not now"}</Button>
          <Button kind="primary" busy={sending} onClick={upload}>
            {problem ? "Try again" : replaces ? "Replace image" : "Upload image"}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys for the buttons inside. */}
      <div onKeyDown={press} className="flex flex-col gap-3">
        {problem && (
          <Notice tone="bad" live title="The picture is not uploaded">
            {problem.text}
          </Notice>
        )}
        {sending && <UploadProgress share={progress} />}
        <div className="flex flex-wrap items-end gap-2">
          <SelectField
            label="Side"
            value={rank}
            disabled={sending}
            onChange={(event) => setRank(Number(event.target.value))}
            className="w-60"
          >
            {places.map((place) => (
              <option key={place} value={place}>
                {nameOf(place)}
                {taken.includes(place) ? " (replaces the image)" : ""}
              </option>
            ))}
          </SelectField>
          <Button disabled={sending} aria-keyshortcuts="[" title="Turn left ([)" onClick={() => turn(-1)}>
            <RotateCcw aria-hidden className="size-4" /> Turn left
          </Button>
          <Button disabled={sending} aria-keyshortcuts="]" title="Turn right (])" onClick={() => turn(1)}>
            <RotateCw aria-hidden className="size-4" /> Turn right
          </Button>
          <Button disabled={sending} aria-pressed={crop !== undefined} onClick={() => setCrop(crop ? undefined : MOST)}>
            <Crop aria-hidden className="size-4" /> {crop ? "No crop" : "Crop"}
          </Button>
        </div>
        <div className="bg-sunken grid min-h-48 place-items-center rounded-md p-2">
          {preview ? (
            <ReactCrop
              {...(crop && { crop })}
              onChange={(_, percent) => setCrop(percent.width > 0 ? percent : undefined)}
              disabled={sending}
              ruleOfThirds
              keepSelection
              className="max-h-[46dvh]"
              style={CROP_LOOK}
              ariaLabels={CROP_LABELS}
            >
              {/* biome-ignore lint/performance/noImgElement: a picture that is in this browser only. */}
              <img src={preview} alt={`${picture.file.name || "The picture"}, to be uploaded`} draggable={false} />
            </ReactCrop>
          ) : (
            <p className="text-soft">Drawing the picture…</p>
          )}
        </div>
        <p className="text-soft text-sm">
          Drag over the picture to crop it, or press Crop and move the handles with the arrow keys. [ and ] turn it.
        </p>
      </div>
    </Dialog>
  );
}

/** Handles as large as a target has to be. */
const CROP_LOOK = {
  "--rc-drag-handle-size": "24px",
  "--rc-focus-color": "var(--accent)",
} as React.CSSProperties;

const CROP_LABELS = {
  cropArea: "Crop area, move with the arrow keys",
  nwDragHandle: "Top left corner",
  nDragHandle: "Top edge",
  neDragHandle: "Top right corner",
  eDragHandle: "Right edge",
  seDragHandle: "Bottom right corner",
  sDragHandle: "Bottom edge",
  swDragHandle: "Bottom left corner",
  wDragHandle: "Left edge",
};

/** A crop as shares; one that leaves nothing out is none. */
function partOf(crop: PercentCrop | undefined): CropArea | null {
  if (!crop || crop.width < 1 || crop.height < 1) return null;
  if (crop.width > 99.5 && crop.height > 99.5) return null;
  return { x: crop.x / 100, y: crop.y / 100, width: crop.width / 100, height: crop.height / 100 };
}

/** The turned picture, small, as an address an image can show. */
function usePreview(picture: Picture, turns: number): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    let current: string | null = null;
    let left = false;
    void toBlob(drawPicture(picture, { turns, maxPixels: PREVIEW_PIXELS }), picture.type).then((blob) => {
      if (left) return;
      current = URL.createObjectURL(blob);
      setUrl(current);
    });
    return () => {
      left = true;
      if (current) URL.revokeObjectURL(current);
    };
  }, [picture, turns]);
  return url;
}
