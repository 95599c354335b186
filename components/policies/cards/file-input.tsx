import type { Ref } from "react";
import { Input } from "@/components/ui/controls";

interface FileInputProps {
  ref: Ref<HTMLInputElement>;
  camera?: boolean;
  onFiles: (files: File[]) => void;
}

/** The browser's own way to choose a file or take a photo; buttons open it. */
export function FileInput({ ref, camera = false, onFiles }: FileInputProps) {
  return (
    <Input
      ref={ref}
      type="file"
      hidden
      aria-label={camera ? "Take a photo of a card" : "Card image file"}
      accept="image/jpeg,image/png"
      {...(camera ? { capture: "environment" as const } : { multiple: true })}
      onChange={(event) => {
        const files = [...(event.target.files ?? [])];
        // The same file can be chosen again.
        event.target.value = "";
        onFiles(files);
      }}
    />
  );
}
