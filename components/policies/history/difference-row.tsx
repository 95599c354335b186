import type { ReactNode } from "react";
import { classNames } from "@/components/ui/class-names";

interface DifferenceRowProps {
  label: string;
  changed: boolean;
  /** Who last changed it. Below the values on narrow screens. */
  lastChange: ReactNode;
  /** The cells with the values. */
  children: ReactNode;
}

/** Shows a row of a comparison. */
export function DifferenceRow({ label, changed, lastChange, children }: DifferenceRowProps) {
  return (
    <>
      <tr className="border-line border-t align-top">
        <th
          scope="row"
          className={classNames("px-3 py-2 text-left wrap-anywhere", changed ? "font-medium" : "text-soft font-normal")}
        >
          {label}
        </th>
        {children}
        <td className="px-3 py-2 max-md:hidden">{lastChange}</td>
      </tr>
      {lastChange && (
        <tr className="md:hidden">
          <td colSpan={2} className="px-3 pb-2 [&_time]:whitespace-normal">
            {lastChange}
          </td>
        </tr>
      )}
    </>
  );
}

/** Shows a cell with a value. */
export function ValueCell({ children }: { children: ReactNode }) {
  return <td className="px-3 py-2 wrap-anywhere">{children}</td>;
}
