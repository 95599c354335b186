"use client";

import { Crop, RotateCcw, RotateCw } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import type { PercentCrop } from "react-image-crop";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { SelectField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { cardEditor as text } from "../messages/card-editor";
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
  const label = isReplacing ? text.replace : isDeferred ? text.use : text.upload;
  const submitLabel = problem ? text.retry : label;
  return (
    <Dialog
      open={open}
      wide
      onClose={close}
      title={(isReplacing ? text.replaceTitle : text.addTitle)(nameOf(place))}
      description={isDeferred ? text.newPolicyDescription : text.description(submitLabel)}
      footer={
        <>
          <Button onClick={close}>{isSending ? text.stop : text.cancel}</Button>
          <Button kind="primary" busy={isSending} onClick={upload} data-first-focus={!isReplacing || undefined}>
            {submitLabel}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: shortcuts for the buttons inside. */}
      <div onKeyDown={onKeyDown} className="flex flex-col gap-3">
        {problem && (
          <Notice tone="bad" live title={text.failed}>
            {problem.message}
          </Notice>
        )}
        {isSending && <UploadProgress share={progress} />}
        <div className="flex flex-wrap items-end gap-2">
          <SelectField
            label={text.side}
            value={place}
            disabled={isSending}
            onChange={(event) => setPlace(Number(event.target.value))}
            className="w-60"
          >
            {places.map((offered) => (
              <option key={offered} value={offered}>
                {taken.includes(offered) ? text.sideTaken(nameOf(offered)) : nameOf(offered)}
              </option>
            ))}
          </SelectField>
          <Button disabled={isSending} aria-keyshortcuts="[" title={text.rotateLeftKey} onClick={() => turn(-1)}>
            <RotateCcw aria-hidden className="size-4" /> {text.rotateLeft}
          </Button>
          <Button disabled={isSending} aria-keyshortcuts="]" title={text.rotateRightKey} onClick={() => turn(1)}>
            <RotateCw aria-hidden className="size-4" /> {text.rotateRight}
          </Button>
          <Button
            disabled={isSending}
            aria-pressed={crop !== undefined}
            onClick={() => setCrop(crop ? undefined : DEFAULT_CROP)}
          >
            <Crop aria-hidden className="size-4" /> {crop ? text.noCrop : text.crop}
          </Button>
        </div>
        <PictureCropper picture={picture} turns={turns} crop={crop} onCrop={setCrop} disabled={isSending} />
        {picture.pages > 1 && <p className="text-warn text-sm">{text.otherPages(picture.pages)}</p>}
        <p className="text-soft text-sm">
          {text.help} <span className="pointer-coarse:hidden">{text.keyboardHelp}</span>
        </p>
      </div>
    </Dialog>
  );
}
