import { defineResource, required } from "../schema";
import { text } from "../values";

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
  loaded: { by: "name" },
});
