"use client";

import { Check, Copy } from "lucide-react";
import { useClipboard } from "@/components/ui/use-clipboard";
import { codeBlock as words } from "./messages";

const LANGUAGES: Record<string, string> = words.languages;

/** Shows a block of code in a guide, with a copy button unless it shows a response. */
export function CodeBlock({ text, language }: { text: string; language: string }) {
  const { copied, copy } = useClipboard(text);
  const isOutput = language === "http" || language === "output";
  const Icon = copied ? Check : Copy;
  return (
    <figure className={`border-line my-3 rounded-md border ${isOutput ? "" : "bg-raised"}`}>
      <figcaption className="border-line text-soft flex min-h-8 items-center justify-between border-b pr-1 pl-3 text-sm">
        {LANGUAGES[language] ?? language}
        {!isOutput && (
          <button
            type="button"
            aria-label={copied ? words.copied : words.copy}
            className="hover:text-ink ml-auto grid size-7 place-items-center rounded-md"
            onClick={copy}
          >
            <Icon aria-hidden className="size-3.5" />
          </button>
        )}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <pre tabIndex={0} className="overflow-x-auto p-3 font-mono text-[13px] leading-5">
        <code>{text}</code>
      </pre>
    </figure>
  );
}
