import type { ReactNode } from "react";

interface EmptyStateProps {
  title: ReactNode;
  /** Why it is empty, or what would be here. */
  children?: ReactNode;
  action?: ReactNode;
}

/** Replaces a list or page that has nothing to show. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="text-soft max-w-md">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}
