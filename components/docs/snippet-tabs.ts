import type { OpenApiDocument } from "@/lib/api/openapi/schema";
import { SNIPPET_LANGUAGES, type SnippetLanguage, snippetsOf } from "@/lib/api/openapi/snippets";
import { codeBlock, snippets as text } from "./messages";

/** The part of the viewer's own React that the plugin uses. */
interface ViewerReact {
  createElement: (type: unknown, props: object | null, ...children: unknown[]) => unknown;
  useState: <T>(initial: T) => [T, (next: T) => void];
}

interface OperationProps {
  path: string;
  method: string;
}

/** Returns a plugin of Swagger UI that shows code for each operation above its responses. */
export const withSnippets = (spec: OpenApiDocument) => () => ({
  wrapComponents: {
    responses:
      (Responses: unknown, { React }: { React: ViewerReact }) =>
      (props: OperationProps) =>
        React.createElement(
          "div",
          null,
          React.createElement(Snippets, { React, spec, path: props.path, method: props.method }),
          React.createElement(Responses, props),
        ),
  },
});

function Snippets({ React, spec, path, method }: OperationProps & { React: ViewerReact; spec: OpenApiDocument }) {
  const [open, setOpen] = React.useState<SnippetLanguage>("sh");
  // The viewer also shows webhooks, which others call.
  if (!spec.paths[path]?.[method]) return null;
  const code = snippetsOf(spec, { path, method, origin: location.origin })[open];
  const buttons = SNIPPET_LANGUAGES.map((language) =>
    React.createElement(
      "button",
      { key: language, type: "button", "aria-pressed": language === open, onClick: () => setOpen(language) },
      text.languages[language],
    ),
  );
  const copy = React.createElement(
    "button",
    { key: "copy", type: "button", className: "copy", onClick: () => navigator.clipboard.writeText(code) },
    codeBlock.copy,
  );
  return React.createElement(
    "section",
    { className: "snippets", "aria-label": text.title },
    React.createElement("div", { className: "languages" }, buttons, copy),
    React.createElement("pre", { tabIndex: 0 }, React.createElement("code", null, code)),
  );
}
