import { meanings } from "./messages/glossary";
import type { TermName } from "./messages/terms";

/** Shows the meaning of a term. */
export function TermMeaning({ name }: { name: TermName }) {
  return <p className="mt-0.5">{meanings[name]}</p>;
}
