import type { ReactNode } from "react";
import { archiveReasonSentence } from "@/components/policies/archive-reasons";
import { formatMoney, rankLabel } from "@/components/policies/fields";
import { Day, Time } from "@/components/ui/time";
import type { HistoryField } from "./history-fields";

const WORDS: Record<string, Record<string, string>> = {
  status: { active: "Active", archived: "Archived" },
};

/** Whether a field holds nothing. */
export const isEmpty = (value: unknown) => value === null || value === undefined || value === "";

/** A field's value as it is read. */
export function FieldValue({ field: { name, kind }, value }: { field: HistoryField; value: unknown }): ReactNode {
  if (isEmpty(value)) return <span className="text-soft">Empty</span>;
  const text = String(value);
  switch (kind) {
    case "date":
      return <Day value={text} />;
    case "time":
      return <Time value={text} exact />;
    case "money":
      return <span className="font-mono">{formatMoney(text)}</span>;
    case "secret":
      return <span className="font-mono">{text}</span>;
    case "code":
    case "phone":
      return <span className="font-mono">{text}</span>;
    case "word":
      if (name === "rank") return rankLabel(Number(text));
      return name === "archive_reason" ? archiveReasonSentence(text) : (WORDS[name]?.[text] ?? text);
    default:
      return text;
  }
}
