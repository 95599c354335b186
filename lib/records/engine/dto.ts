import { viewFields } from "./rules";
import type { Data, RecordRow, Resource, ViewName } from "./schema";

/**
 * A record on the wire: every field of the answer, those it was never sent as they stand by default.
 *
 * @param shown what replaces its fields there (`Resource.serialize`)
 */
export function toRecordDto(
  resource: Resource,
  view: ViewName,
  row: Pick<RecordRow, "data"> & Partial<RecordRow>,
  shown: Data = {},
): Data {
  return Object.fromEntries(
    Object.entries(viewFields(resource, view)).map(([name, { column, initial }]) => [
      ...[name, name in shown ? shown[name] : column ? row[column] : (row.data[name] ?? initial)],
    ]),
  );
}
