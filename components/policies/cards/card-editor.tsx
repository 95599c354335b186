"use client";

import "react-image-crop/dist/ReactCrop.css";
import { Crop, RotateCcw, RotateCw } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import ReactCrop, { type PercentCrop } from "react-image-crop";
import { CallError } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { SelectField } from "@/components/ui/field";
import { Notice } from "@/components/ui/status";
import type { UploadWatch } from "./card-actions";
import { PLACES, placeInWords } from "./card-labels";
import { drawPicture, finishPicture, type Limits, type Part, type Picture, toBlob } from "./picture";

/** Sends a finished picture to a place. */
export type SendPicture = (blob: Blob, rank: number, watch: UploadWatch) => Promise<void>;

interface CardEditorProps {
  picture: Picture;
  /** Where it goes unless told otherwise. */
  rank: number;
  /** Places that show an image. */
  taken: readonly number[];
  limits: Limits;
  /** Closed, it keeps the picture and what was done to it. */
  open: boolean;
  onClose: () => void;
  onSend: SendPicture;
}

const PREVIEW_PIXELS = 1_200_000;
const MOST: PercentCrop = { unit: "%", x: 5, y: 5, width: 90, height: 90 };

/** Preview of a picture before it is uploaded: turn, crop, choose the side; progress and retry of the upload. */
export function CardEditor({ picture, rank: first, taken, limits, open, onClose, onSend }: CardEditorProps) {
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
  useOnline(() => problem?.offline && upload());

  const places = PLACES.filter((place) => place <= 2 || taken.includes(place) || taken.includes(place - 1));
  return (
    <Dialog
      open={open}
      wide
      onClose={() => {
        stop();
        onClose();
      }}
      title={
        taken.includes(rank) ? `Replace card image: ${placeInWords(rank)}` : `Add card image: ${placeInWords(rank)}`
      }
      description="Turn it upright and crop it to the card. Nothing is uploaded before you say so."
      footer={
        <>
          <Button
            onClick={() => {
              stop();
              onClose();
            }}
          >
            {sending ? "Stop" : "Not now"}
          </Button>
          <Button kind="primary" busy={sending} onClick={upload}>
            {problem ? "Try again" : taken.includes(rank) ? "Replace image" : "Upload image"}
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
        {sending && <Progress share={progress} />}
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
                {placeInWords(place)}
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
function partOf(crop: PercentCrop | undefined): Part | null {
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

interface Problem {
  text: string;
  /** The connection was lost: it is tried again when it is back. */
  offline: boolean;
}

/** One upload at a time: how far it is, and what went wrong with the last one. */
function useUpload(onSend: SendPicture) {
  const [progress, setProgress] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const running = useRef<AbortController | null>(null);
  const start = async (finish: () => Promise<Blob>, rank: number) => {
    if (running.current) return;
    const controller = new AbortController();
    running.current = controller;
    setProblem(null);
    setProgress(0);
    try {
      await onSend(await finish(), rank, { onProgress: setProgress, signal: controller.signal });
    } catch (error) {
      if (!controller.signal.aborted) {
        const offline = error instanceof CallError && error.status === 0;
        setProblem({ text: (error as Error).message, offline });
      }
    } finally {
      running.current = null;
      setProgress(null);
    }
  };
  return { progress, problem, start, stop: () => running.current?.abort() };
}

function useOnline(listener: () => void): void {
  const back = useEffectEvent(listener);
  useEffect(() => {
    const listen = () => back();
    window.addEventListener("online", listen);
    return () => window.removeEventListener("online", listen);
  }, []);
}

function Progress({ share }: { share: number }) {
  const id = useId();
  const percent = Math.round(share * 100);
  return (
    <div>
      <label htmlFor={id} role="status">
        {percent < 100 ? "Uploading the picture" : "Checking the picture"}
      </label>
      <div className="flex items-center gap-2">
        <progress
          id={id}
          max={100}
          value={percent}
          className="bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent h-2 w-full appearance-none overflow-hidden rounded-md"
        />
        <span className="w-12 text-right font-mono">{percent} %</span>
      </div>
    </div>
  );
}
