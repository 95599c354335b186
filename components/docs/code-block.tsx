"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";

const WORDS: Record<string, string> = {
  sh: "Shell",
  http: "Answer",
  output: "Output",
  ts: "TypeScript",
  python: "Python",
  json: "JSON",
  text: "",
};

/** Code of a guide, to be read and to be taken along. */
export function CodeBlock({ text, language }: { text: string; language: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const isAnswer = language === "http" || language === "output";
  const Icon = copied ? Check : Copy;
  return (
    <figure className={`border-line my-3 rounded-md border ${isAnswer ? "" : "bg-raised"}`}>
      <figcaption className="border-line text-soft flex min-h-8 items-center justify-between border-b pr-1 pl-3 text-sm">
        {WORDS[language] ?? language}
        {!isAnswer && (
          <button
            type="button"
            aria-label={copied ? "Copied" : "Copy code"}
            className="hover:text-ink grid size-7 place-items-center rounded-md"
            onClick={() =>
              navigator.clipboard.writeText(text).then(
                () => setCopied(true),
                () => setCopied(false),
              )
            }
          >
            <Icon aria-hidden className="size-3.5" />
          </button>
        )}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
      <pre tabIndex={0} className="overflow-x-auto p-3 font-mono text-[13px] leading-5">
        <code>{text}</code>
      </pre>
    </figure>
  );
}
