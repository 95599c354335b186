// A resolver for openapi-typescript, which prints types by the programming interface of TypeScript 5: version 7 has none.
export const resolve = (specifier, context, next) =>
  next(specifier === "typescript" ? "typescript-5" : specifier, context);
