import { comparison as text } from "../messages/history";
import type { VersionDetail } from "./use-versions";

interface DifferenceHeadProps {
  older: VersionDetail | null;
  newer: VersionDetail;
  isSplit: boolean;
  showAll: boolean;
}

const HEADING = "px-3 py-2 font-medium";

/** Shows the column widths and headings of a comparison. */
export function DifferenceHead({ older, newer, isSplit, showAll }: DifferenceHeadProps) {
  return (
    <>
      <colgroup>
        <col className="w-[32%] md:w-44" />
        <col />
        {isSplit && <col />}
        <col className="w-0 md:w-44" />
      </colgroup>
      <thead>
        <tr className="border-line text-soft border-b text-left text-sm">
          <th scope="col" className={HEADING}>
            {text.field}
          </th>
          {isSplit ? (
            <>
              <th scope="col" className={HEADING}>
                {older ? text.version(older.version) : text.before}
              </th>
              <th scope="col" className={HEADING}>
                {text.version(newer.version)}
              </th>
            </>
          ) : (
            <th scope="col" className={HEADING}>
              {showAll ? text.value : text.change}
            </th>
          )}
          <th scope="col" className={`${HEADING} max-md:hidden`}>
            {text.lastChanged}
          </th>
        </tr>
      </thead>
    </>
  );
}

/** Shows the heading of a group of fields. */
export function GroupRow({ title, columns }: { title: string; columns: number }) {
  return (
    <tr className="border-line bg-sunken border-b">
      <th scope="colgroup" colSpan={columns} className="text-soft px-3 py-1 text-left text-sm font-medium">
        {title}
      </th>
    </tr>
  );
}
