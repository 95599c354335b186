"use client";

import "react-image-crop/dist/ReactCrop.css";
import { useEffect, useState } from "react";
import ReactCrop, { type PercentCrop } from "react-image-crop";
import { cropLabels, cropper as text } from "../messages/card-editor";
import { type CropArea, drawPicture } from "./edit-picture";
import { toBlob } from "./encode-canvas";
import type { Picture } from "./picture";

const PREVIEW_PIXELS = 1_200_000;

/** The crop to start with if the user does not drag one. */
export const DEFAULT_CROP: PercentCrop = { unit: "%", x: 5, y: 5, width: 90, height: 90 };

interface PictureCropperProps {
  picture: Picture;
  /** Quarter turns to the right. */
  turns: number;
  crop: PercentCrop | undefined;
  onCrop: (crop: PercentCrop | undefined) => void;
  disabled: boolean;
}

/** Shows a rotated picture and lets the user drag a crop over it. */
export function PictureCropper({ picture, turns, crop, onCrop, disabled }: PictureCropperProps) {
  const preview = usePreview(picture, turns);
  return (
    <div className="bg-sunken grid min-h-48 place-items-center rounded-md p-2">
      {preview ? (
        <ReactCrop
          crop={crop}
          onChange={(_, percent) => onCrop(percent.width > 0 ? percent : undefined)}
          disabled={disabled}
          ruleOfThirds
          keepSelection
          className="max-h-[46dvh] [--rc-drag-handle-size:24px] [--rc-focus-color:var(--accent)]"
          ariaLabels={cropLabels}
        >
          {/* biome-ignore lint/performance/noImgElement: a picture that exists only in this browser. */}
          <img
            src={preview}
            alt={picture.file.name ? text.alt(picture.file.name) : text.unnamedAlt}
            draggable={false}
          />
        </ReactCrop>
      ) : (
        <p className="text-soft">{text.preparing}</p>
      )}
    </div>
  );
}

/** Converts a crop to fractions of the picture. Returns null if it keeps everything, or almost nothing. */
export function toCropArea(crop: PercentCrop | undefined): CropArea | null {
  if (!crop || crop.width < 1 || crop.height < 1) return null;
  if (crop.width > 99.5 && crop.height > 99.5) return null;
  return { x: crop.x / 100, y: crop.y / 100, width: crop.width / 100, height: crop.height / 100 };
}

/** Draws a small version of the rotated picture. Returns its object URL, or null until it is drawn. */
function usePreview(picture: Picture, turns: number): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    let objectUrl: string | null = null;
    let isCancelled = false;
    void toBlob(drawPicture(picture, { turns, maxPixels: PREVIEW_PIXELS }), picture.type).then((blob) => {
      if (isCancelled) return;
      objectUrl = URL.createObjectURL(blob);
      setUrl(objectUrl);
    });
    return () => {
      isCancelled = true;
      if (objectUrl) URL.revokeObjectURL(objectUrl);
    };
  }, [picture, turns]);
  return url;
}
