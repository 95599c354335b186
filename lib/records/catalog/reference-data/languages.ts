import { required, text } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** A language that patients speak. */
export const languages = defineResource({
  name: "languages",
  title: "Language",
  noun: "language",
  owner: "everyone",
  operations: ["list"],
  withoutId: true,
  fields: { name: required(text(100)) },
  filters: [],
  bulkLoad: { key: "name" },
});
