import { CircleCheck, Clock, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { ButtonLink } from "@/components/ui/button-link";
import type { StatusKind } from "@/components/ui/status";
import { attentionList as text } from "./messages/attention";

/** Something that needs attention, with a link to act on it. */
export interface AttentionItem {
  key: string;
  kind: Extract<StatusKind, "failed" | "warning" | "pending">;
  title: ReactNode;
  detail: ReactNode;
  action: { label: string; href: string };
}

const SIGNS = {
  failed: { icon: TriangleAlert, look: "text-bad", word: text.kinds.failed },
  warning: { icon: TriangleAlert, look: "text-warn", word: text.kinds.warning },
  pending: { icon: Clock, look: "text-warn", word: text.kinds.pending },
} as const;

/** Shows the items that need attention, each with a link to act on it. */
export function AttentionList({ items }: { items: readonly AttentionItem[] }) {
  return (
    <section aria-labelledby="attention" className="border-line bg-raised mb-4 rounded-md border">
      <h2 id="attention" className={items.length > 0 ? "border-line border-b px-4 py-2.5 font-semibold" : "sr-only"}>
        {text.title}
      </h2>
      <p role="status" className="sr-only">
        {items.length === 0 ? text.none : text.count(items.length)}
      </p>
      {items.length === 0 ? (
        <p aria-hidden className="flex items-center gap-2 px-4 py-3">
          <CircleCheck className="text-good size-4 shrink-0" />
          {text.none}
        </p>
      ) : (
        <ul>
          {items.map((item) => (
            <AttentionRow key={item.key} item={item} />
          ))}
        </ul>
      )}
    </section>
  );
}

function AttentionRow({ item: { kind, title, detail, action } }: { item: AttentionItem }) {
  const { icon: Icon, look, word } = SIGNS[kind];
  return (
    <li className="border-line flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-2.5 last:border-0">
      <div className="flex min-w-56 flex-1 gap-2.5">
        <Icon aria-label={word} role="img" className={`${look} mt-0.5 size-4 shrink-0`} />
        <div className="min-w-0">
          <p className="font-medium">{title}</p>
          <p className="text-soft">{detail}</p>
        </div>
      </div>
      <ButtonLink href={action.href} size="small" className="screen-only max-sm:ml-6.5">
        {action.label}
      </ButtonLink>
    </li>
  );
}
