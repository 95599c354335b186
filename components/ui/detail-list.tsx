import { Fragment, type ReactNode } from "react";

interface DetailListProps {
  details: readonly (readonly [label: string, value: ReactNode])[];
}

/** Renders a compact list of labels and values in two columns. Skips those without a value. */
export function DetailList({ details }: DetailListProps) {
  const known = details.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  if (known.length === 0) return null;
  return (
    <dl className="mt-1.5 grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] items-baseline gap-x-3 gap-y-0.5">
      {known.map(([label, value]) => (
        <Fragment key={label}>
          <dt className="text-soft text-sm">{label}</dt>
          <dd className="min-w-0">{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
