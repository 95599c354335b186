import type { ReactNode } from "react";
import { classNames } from "@/components/ui/class-names";

interface DifferenceRowProps {
  label: string;
  changed: boolean;
  /** Who last changed it. Below the label on narrow screens. */
  lastChange: ReactNode;
  /** The cells with the values. */
  children: ReactNode;
}

/** Shows a row of a comparison. */
export function DifferenceRow({ label, changed, lastChange, children }: DifferenceRowProps) {
  return (
    <tr className="border-line border-b align-top last:border-0">
      <th
        scope="row"
        className={classNames("px-3 py-2 text-left wrap-anywhere", changed ? "font-medium" : "text-soft font-normal")}
      >
        {label}
        {lastChange && (
          <span className="mt-0.5 block font-normal md:hidden [&_time]:whitespace-normal">{lastChange}</span>
        )}
      </th>
      {children}
      <td className="px-3 py-2 max-md:hidden">{lastChange}</td>
    </tr>
  );
}

/** Shows a cell with a value. */
export function ValueCell({ children }: { children: ReactNode }) {
  return <td className="px-3 py-2 wrap-anywhere">{children}</td>;
}
