import { Fragment, type ReactNode } from "react";

/** A box with a grid of `Detail`s. */
export function DetailGrid({ children }: { children: ReactNode }) {
  return (
    <dl className="border-line bg-raised grid grid-cols-1 gap-x-6 gap-y-3 rounded-md border px-4 py-3 min-[420px]:grid-cols-2 lg:grid-cols-4">
      {children}
    </dl>
  );
}

/** A label with its value below it. */
export function Detail({ label, children, wide = false }: { label: string; children: ReactNode; wide?: boolean }) {
  return (
    <div className={wide ? "min-w-0 min-[420px]:col-span-2 lg:col-span-4" : "min-w-0"}>
      <dt className="text-soft text-sm">{label}</dt>
      <dd className="mt-0.5 break-words">{children}</dd>
    </div>
  );
}

/** A label with its value beside it, for a list in two columns. */
export function DetailRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{label}</dt>
      <dd className="min-w-0 break-words [&_code]:font-mono [&_code]:break-all">{children}</dd>
    </>
  );
}

/** A compact list of labels and values in two columns. Skips what has no value. */
export function DetailList({ details }: { details: readonly (readonly [label: string, value: ReactNode])[] }) {
  const known = details.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  if (known.length === 0) return null;
  return (
    <dl className="mt-1.5 grid grid-cols-[max-content_minmax(0,1fr)] items-baseline gap-x-3 gap-y-0.5">
      {known.map(([label, value]) => (
        <Fragment key={label}>
          <dt className="text-soft text-sm">{label}</dt>
          <dd className="min-w-0">{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
