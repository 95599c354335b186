import { classNames } from "@/components/ui/class-names";
import { formatNumber } from "@/components/ui/format";
import { TextLink } from "@/components/ui/text-link";

export interface BarPart {
  name: string;
  count: number;
  /** The class of its color. */
  bar: string;
  /** Shown on hover. */
  means?: string;
  /** The page that lists these records. */
  href?: string | undefined;
}

/** Shows a bar of counts that add up to a total, with a legend. Parts that have a page are linked. */
export function StackedBar({
  label,
  parts,
  total,
}: {
  label: string;
  parts: readonly BarPart[];
  /** The total in words: `12 records`. */
  total: string;
}) {
  return (
    <figure aria-label={label}>
      <figcaption className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{label}</span>
        <span className="text-soft tabular-nums">{total}</span>
      </figcaption>
      <div aria-hidden className="bg-sunken flex h-3 w-full gap-px overflow-hidden rounded [print-color-adjust:exact]">
        {parts
          .filter(({ count }) => count > 0)
          .map(({ name, count, bar }) => (
            <div key={name} className={classNames("h-full min-w-1", bar)} style={{ flexGrow: count }} />
          ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1">
        {parts.map(({ name, count, bar, means, href }) => (
          <li
            key={name}
            title={means}
            className={classNames("inline-flex items-center gap-1.5", count === 0 && "text-soft")}
          >
            <span aria-hidden className={classNames("size-2.5 rounded-sm [print-color-adjust:exact]", bar)} />
            {href && count > 0 ? (
              <TextLink href={href}>
                {name} <span className="ml-1.5 font-medium tabular-nums">{formatNumber(count)}</span>
              </TextLink>
            ) : (
              <span className="inline-flex min-h-6 items-center">
                {name} <span className="ml-1.5 font-medium tabular-nums">{formatNumber(count)}</span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </figure>
  );
}
