import { useId } from "react";

/** How far an upload is. */
export function UploadProgress({ share }: { share: number }) {
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
