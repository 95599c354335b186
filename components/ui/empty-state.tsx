import type { ReactNode } from "react";

/** Nothing to show, why, and what to do next. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="text-soft max-w-md">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}
