import type { ReactNode } from "react";
import { archiveReasonSentence } from "@/components/policies/archive-reasons";
import { formatMoney, rankLabel } from "@/components/policies/fields";
import { Day, Time } from "@/components/ui/time";
import { comparison, statuses } from "../messages/history";
import type { HistoryField } from "./history-fields";

const STATUSES: Record<string, string> = statuses;

/** Returns whether a field has no value. */
export const isEmpty = (value: unknown) => value === null || value === undefined || value === "";

/** Formats a field's value. */
export function FieldValue({ field: { name, kind }, value }: { field: HistoryField; value: unknown }): ReactNode {
  if (isEmpty(value)) return <span className="text-soft">{comparison.empty}</span>;
  const text = String(value);
  switch (kind) {
    case "date":
      return <Day value={text} />;
    case "time":
      return <Time value={text} exact />;
    case "money":
      return <span className="font-mono">{formatMoney(text)}</span>;
    case "secret":
    case "code":
    case "phone":
      return <span className="font-mono">{text}</span>;
    case "word":
      if (name === "rank") return rankLabel(Number(text));
      if (name === "archive_reason") return archiveReasonSentence(text);
      return name === "status" ? (STATUSES[text] ?? text) : text;
    default:
      return text;
  }
}
