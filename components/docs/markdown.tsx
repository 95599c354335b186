import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import Link from "next/link";
import { Fragment, type ReactNode } from "react";
import { CodeBlock } from "./code-block";
import { codeBlock } from "./messages";

interface MarkdownProps {
  text: string;
  /** The path of the pages of guides, which refer to each other by file name. */
  base: string;
}

/** Renders a guide's Markdown. HTML in the text is not rendered. */
export function Markdown({ text, base }: MarkdownProps) {
  return <>{lexer(text).map((token, at) => keyed(at, renderBlock(token, base)))}</>;
}

/** Returns the fragment of a heading in URLs. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

const keyed = (at: number, content: ReactNode) => <Fragment key={at}>{content}</Fragment>;

/** Narrows a token to those of marked itself, as no extensions are installed. */
const known = (token: Token) => token as MarkedToken;

function renderBlock(raw: Token, base: string): ReactNode {
  const token = known(raw);
  switch (token.type) {
    case "heading":
      return renderHeading(token, base);
    case "paragraph":
      return <p className="my-3 max-w-[72ch]">{inline(token.tokens, base)}</p>;
    case "code":
      return <CodeBlock text={token.text} language={token.lang ?? ""} />;
    case "list":
      return renderList(token, base);
    case "table":
      return renderTable(token, base);
    case "text":
      return token.tokens ? inline(token.tokens, base) : token.text;
    case "blockquote":
      return (
        <blockquote className="border-line text-soft my-3 border-l-2 pl-3">{blocks(token.tokens, base)}</blockquote>
      );
    default:
      return null;
  }
}

const blocks = (tokens: Token[] | undefined, base: string) =>
  tokens?.map((token, at) => keyed(at, renderBlock(token, base)));

function renderHeading({ depth, text, tokens }: Tokens.Heading, base: string): ReactNode {
  if (depth === 1) return <h1 className="mb-4 text-lg font-semibold">{inline(tokens, base)}</h1>;
  const Heading = depth === 2 ? "h2" : "h3";
  return (
    <Heading id={toAnchor(text)} className="mt-8 mb-2 scroll-mt-20 font-semibold">
      {inline(tokens, base)}
    </Heading>
  );
}

function renderList({ ordered, items }: Tokens.List, base: string): ReactNode {
  const List = ordered ? "ol" : "ul";
  return (
    <List className={`my-3 max-w-[72ch] space-y-1 pl-5 ${ordered ? "list-decimal" : "list-disc"}`}>
      {items.map((item, at) => keyed(at, <li>{blocks(item.tokens, base)}</li>))}
    </List>
  );
}

function renderTable({ header, rows }: Tokens.Table, base: string): ReactNode {
  const isEmpty = header.every(({ text }) => text === "");
  return (
    // Not a landmark: a guide has many tables.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls.
    <div
      role="group"
      className="border-line bg-raised my-4 overflow-x-auto rounded-md border"
      aria-label={codeBlock.table}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
      tabIndex={0}
    >
      <table className="w-full border-collapse text-left sm:min-w-lg">
        {!isEmpty && (
          <thead className="bg-sunken text-soft text-sm max-sm:hidden">
            <tr>
              {header.map((cell, at) =>
                keyed(at, <th className="px-3 py-2 font-medium">{inline(cell.tokens, base)}</th>),
              )}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, at) =>
            keyed(
              at,
              <tr className="border-line border-t align-top first:border-t-0">
                {row.map((cell, column) =>
                  keyed(
                    column,
                    // On a phone, the cells are below each other, each with its heading.
                    <td
                      data-heading={header[column]?.text.replaceAll("`", "")}
                      className="px-3 py-2 max-sm:block max-sm:py-1 max-sm:before:block max-sm:before:text-sm max-sm:before:text-soft max-sm:before:content-[attr(data-heading)]"
                    >
                      {inline(cell.tokens, base)}
                    </td>,
                  ),
                )}
              </tr>,
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

const inline = (tokens: Token[] | undefined, base: string) =>
  tokens?.map((token, at) => keyed(at, renderInline(token, base)));

function renderInline(raw: Token, base: string): ReactNode {
  const token = known(raw);
  switch (token.type) {
    case "strong":
      return <strong className="font-semibold">{inline(token.tokens, base)}</strong>;
    case "em":
      return <em>{inline(token.tokens, base)}</em>;
    case "codespan":
      return <code className="bg-sunken rounded px-1 py-px font-mono text-[0.93em]">{token.text}</code>;
    case "link":
      return renderLink(token, base);
    case "br":
      return <br />;
    default:
      if ("tokens" in token && token.tokens) return inline(token.tokens, base);
      return "text" in token ? token.text : null;
  }
}

/** Renders a link. Guides refer to each other by file name, which becomes the path of the page. */
function renderLink({ href, tokens }: Tokens.Link, base: string): ReactNode {
  const guide = /^([\w-]+)\.md(#.*)?$/.exec(href);
  const className = "text-accent underline underline-offset-2";
  if (!guide) {
    return (
      <a href={href} className={className} rel="noreferrer">
        {inline(tokens, base)}
      </a>
    );
  }
  return (
    <Link href={`${base}/${guide[1]}${guide[2] ?? ""}`} className={className}>
      {inline(tokens, base)}
    </Link>
  );
}
