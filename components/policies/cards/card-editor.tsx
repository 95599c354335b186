"use client";

import { Crop, RotateCcw, RotateCw } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import type { PercentCrop } from "react-image-crop";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { SelectField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { finishPicture } from "./edit-picture";
import type { ImageLimits, Picture } from "./picture";
import { DEFAULT_CROP, PictureCropper, toCropArea } from "./picture-cropper";
import { placeName } from "./places";
import { UploadProgress } from "./upload-progress";
import { type SendPicture, useOnline, useUpload } from "./use-upload";

interface CardEditorProps {
  picture: Picture;
  initialPlace: number;
  /** The places to choose from. */
  places: readonly number[];
  nameOf?: ((place: number) => string) | undefined;
  /** The places that have an image. */
  taken: readonly number[];
  limits: ImageLimits;
  /** Whether the picture is uploaded later, with a new policy. */
  isDeferred: boolean;
  /** While closed, the editor keeps the picture and its edits. */
  open: boolean;
  onClose: () => void;
  onSend: SendPicture;
}

/** Rotates and crops a picture, chooses its side and uploads it. */
export function CardEditor(props: CardEditorProps) {
  const { picture, initialPlace, places, nameOf = placeName, taken, limits, isDeferred, open, onClose, onSend } = props;
  const [turns, setTurns] = useState(0);
  const [crop, setCrop] = useState<PercentCrop>();
  const [place, setPlace] = useState(initialPlace);
  const { progress, problem, start, stop } = useUpload(onSend);
  const isSending = progress !== null;

  const turn = (quarters: number) => {
    setTurns((before) => (before + quarters + 4) % 4);
    setCrop(undefined);
  };
  const upload = () => {
    const area = toCropArea(crop);
    void start(() => finishPicture(picture, { turns, area }, limits), place);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isInSelect = event.target instanceof Element && event.target.closest("select");
    if (isSending || isInSelect) return;
    if (event.key === "]" || event.key === "r") turn(1);
    else if (event.key === "[" || event.key === "R") turn(-1);
    else return;
    event.preventDefault();
  };
  useOnline(() => open && problem?.isOffline && upload());
  const close = () => {
    stop();
    onClose();
  };

  const isReplacing = taken.includes(place);
  const label = isReplacing ? "Replace image" : isDeferred ? "Use image" : "Upload image";
  const submitLabel = problem ? "Try again" : label;
  const uploadTime = isDeferred
    ? "It is uploaded when you add the policy."
    : `Not uploaded until you select ${submitLabel}.`;
  return (
    <Dialog
      open={open}
      wide
      onClose={close}
      title={`${isReplacing ? "Replace" : "Add"} card image: ${nameOf(place)}`}
      description={`Rotate it upright and crop it to the card. ${uploadTime}`}
      footer={
        <>
          <Button onClick={close}>{isSending ? "Stop" : "Not now"}</Button>
          <Button kind="primary" busy={isSending} onClick={upload}>
            {submitLabel}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: shortcuts for the buttons inside. */}
      <div onKeyDown={onKeyDown} className="flex flex-col gap-3">
        {problem && (
          <Notice tone="bad" live title="Image not uploaded">
            {problem.message}
          </Notice>
        )}
        {isSending && <UploadProgress share={progress} />}
        <div className="flex flex-wrap items-end gap-2">
          <SelectField
            label="Side"
            value={place}
            disabled={isSending}
            onChange={(event) => setPlace(Number(event.target.value))}
            className="w-60"
          >
            {places.map((offered) => (
              <option key={offered} value={offered}>
                {nameOf(offered)}
                {taken.includes(offered) ? " (replaces the image)" : ""}
              </option>
            ))}
          </SelectField>
          <Button disabled={isSending} aria-keyshortcuts="[" title="Rotate left ([)" onClick={() => turn(-1)}>
            <RotateCcw aria-hidden className="size-4" /> Rotate left
          </Button>
          <Button disabled={isSending} aria-keyshortcuts="]" title="Rotate right (])" onClick={() => turn(1)}>
            <RotateCw aria-hidden className="size-4" /> Rotate right
          </Button>
          <Button
            disabled={isSending}
            aria-pressed={crop !== undefined}
            onClick={() => setCrop(crop ? undefined : DEFAULT_CROP)}
          >
            <Crop aria-hidden className="size-4" /> {crop ? "No crop" : "Crop"}
          </Button>
        </div>
        <PictureCropper picture={picture} turns={turns} crop={crop} onCrop={setCrop} disabled={isSending} />
        {picture.pages > 1 && (
          <p className="text-warn text-sm">Page 1 of {picture.pages}. The other pages of the PDF are not used.</p>
        )}
        <p className="text-soft text-sm">
          Drag over the picture to crop it, or press Crop and move the handles with the arrow keys. [ and ] rotate it.
        </p>
      </div>
    </Dialog>
  );
}
