import type { Ref } from "react";
import { Input } from "@/components/ui/controls";
import { fileInput as text } from "../messages/cards";

interface FileInputProps {
  ref: Ref<HTMLInputElement>;
  camera?: boolean;
  onFiles: (files: File[]) => void;
}

/** Renders a hidden file input. A button opens the browser's dialog or camera with it. */
export function FileInput({ ref, camera = false, onFiles }: FileInputProps) {
  return (
    <Input
      ref={ref}
      type="file"
      hidden
      aria-label={camera ? text.camera : text.file}
      accept={camera ? "image/jpeg,image/png" : "image/jpeg,image/png,application/pdf"}
      capture={camera ? "environment" : undefined}
      multiple={!camera}
      onChange={(event) => {
        const files = [...(event.target.files ?? [])];
        // Otherwise choosing the same file again would not trigger a change.
        event.target.value = "";
        onFiles(files);
      }}
    />
  );
}
