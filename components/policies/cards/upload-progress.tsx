import { useId } from "react";
import { uploadProgress as text } from "../messages/cards";

/** Shows the progress of an upload. */
export function UploadProgress({ share }: { share: number }) {
  const id = useId();
  const percent = Math.round(share * 100);
  return (
    <div>
      <label htmlFor={id} role="status">
        {percent < 100 ? text.uploading : text.checking}
      </label>
      <div className="flex items-center gap-2">
        <progress id={id} max={100} value={percent} />
        <span className="w-12 text-right font-mono">{percent}%</span>
      </div>
    </div>
  );
}
