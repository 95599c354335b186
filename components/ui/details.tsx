import type { ReactNode } from "react";

/** Renders a box with a grid of `Detail`s. */
export function DetailGrid({ children }: { children: ReactNode }) {
  return (
    <dl className="border-line bg-raised grid grid-cols-1 gap-x-6 gap-y-3 rounded-md border px-4 py-3 min-[420px]:grid-cols-2 lg:grid-cols-4">
      {children}
    </dl>
  );
}

/** Renders a label with its value below it. */
export function Detail({ label, children, wide = false }: { label: string; children: ReactNode; wide?: boolean }) {
  return (
    <div className={wide ? "min-w-0 min-[420px]:col-span-2 lg:col-span-4" : "min-w-0"}>
      <dt className="text-soft text-sm">{label}</dt>
      <dd className="mt-0.5 break-words">{children}</dd>
    </div>
  );
}

/** Renders a label with its value beside it, for a list in two columns. */
export function DetailRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{label}</dt>
      <dd className="min-w-0 break-words [&_code]:font-mono [&_code]:break-all">{children}</dd>
    </>
  );
}
