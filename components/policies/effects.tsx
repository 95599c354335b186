import { rankPhrase } from "./fields";
import { effectPreview as text } from "./messages/rank-choice";
import type { Effect } from "./use-policy";

interface EffectsProps {
  effects: readonly Effect[];
  /** Names a policy. */
  nameOf: (policy: number) => string;
  /** Returns a policy's current rank; undefined if unknown. */
  rankOf?: (policy: number) => number | null | undefined;
}

/** Lists the effects of a write, one sentence each. */
export function Effects({ effects, nameOf, rankOf }: EffectsProps) {
  const sentences = effects.map((effect) => describeEffect(effect, nameOf(effect.policy), rankOf?.(effect.policy)));
  if (sentences.length === 0) return <p>{text.none}</p>;
  return (
    <ul className="list-disc space-y-1 pl-5">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function describeEffect({ kind, rank, card_images }: Effect, name: string, before: number | null | undefined): string {
  const place = rank === null ? null : rankPhrase(rank);
  if (kind === "restored") return text.restored(name, place, card_images);
  if (kind === "archived") return text.archived(name);
  if (kind === "created") return text.created(name, place);
  if (kind === "removed") return text.deleted(name);
  if (before === undefined || before === rank) return text.updated(name, place);
  // Either of the two ranks is set, because they differ.
  if (before === null) return text.gainsRank(name, rankPhrase(rank));
  return place === null ? text.losesRank(name, rankPhrase(before)) : text.movesRank(name, rankPhrase(before), place);
}
