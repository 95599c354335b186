// Finds the words of the staff side that are written in components instead of in their feature's messages.
import ts from "typescript";
import type { Guard } from "./structure";

/** Attributes and properties that hold words even if they are a single lowercase word: `noun="event"`. */
const WORD_PROPS = new Set([
  "alt",
  "altText",
  "aria-description",
  "aria-label",
  "aria-roledescription",
  "aria-valuetext",
  "cancelLabel",
  "caption",
  "description",
  "header",
  "heading",
  "help",
  "hint",
  "label",
  "lead",
  "legend",
  "means",
  "none",
  "noun",
  "nouns",
  "placeholder",
  "submitLabel",
  "subtitle",
  "title",
  "unit",
]);

/** Attributes and properties that hold code or words. Only a text with a space or a capital letter counts as words. */
const TEXT_PROPS = new Set([
  "act",
  "detail",
  "done",
  "empty",
  "error",
  "meta",
  "message",
  "note",
  "of",
  "problem",
  "sentence",
]);
for (const name of ["summary", "text", "what", "why", "word", "words"]) TEXT_PROPS.add(name);

/** Attributes that are not shown. All others must not hold text with a space or a capital letter. */
const CODE_ATTRIBUTES =
  /^(class|className|\w+Class|\w+ClassName|look|style|key|id|href|src|srcSet|sizes|d|viewBox|points|transform|stroke\w*|fill|rel|accept|autoCapitalize|autoComplete|autoCorrect|pattern|media|nonce|form|name|value|type|data-[\w-]+|__html|bar)$/;

/** Properties whose values may be capitalized names of code: `{ key: "Escape" }`. */
const CODE_PROPERTIES = /^(?:key|code|timeZone|locale)$/;

/** Functions whose arguments are words. */
const WORD_CALLS = /^(?:toasts?\.(?:success|error)|pluralize|joinChanges|toFormError|setError|setProblem)$/;

/** Files that hold words. */
const MESSAGES = /^components\/[\w-]+\/(?:messages|messages\/[\w-]+)\.tsx?$/;

/** Files of official names, which are not translated. */
const NAMES = new Set(["components/policies/us-states.ts"]);

/** Requires the words of the staff side in messages modules, so that they can be reviewed and translated as a whole. */
export const wordsAreInMessages: Guard = (sources) =>
  [...sources].flatMap(([file, text]) => {
    const isChecked =
      /^(?:components|app)\/.*\.tsx?$/.test(file) &&
      !/^app\/api\//.test(file) &&
      !MESSAGES.test(file) &&
      !NAMES.has(file);
    return isChecked ? findWords(file, text) : [];
  });

/** Returns `file:line: text` for each text in a source that belongs in messages. */
function findWords(file: string, source: string): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found = new Map<number, string>();
  const report = (node: ts.Node, text: string) => {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
    found.set(node.getStart(tree), `${file}:${line + 1}: ${text.replace(/\s+/g, " ").trim()}`);
  };
  const check = (expression: ts.Node, isText: (text: string) => boolean) => {
    for (const literal of literalsOf(expression)) if (isText(literal.text)) report(literal.node, literal.text);
  };
  const visit = (node: ts.Node) => {
    if (ts.isJsxText(node) && hasLetters(node.text)) report(node, node.text);
    else if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent))
      check(node.expression, hasLetters);
    else if (ts.isJsxAttribute(node) && node.initializer)
      check(node.initializer, attributeCheck(node.name.getText(tree)));
    else if (ts.isPropertyAssignment(node)) check(node.initializer, propertyCheck(node.name.getText(tree)));
    else if (ts.isCallExpression(node) && WORD_CALLS.test(node.expression.getText(tree))) {
      for (const argument of node.arguments) check(argument, hasLetters);
    } else if (ts.isExpression(node) && isLiteral(node) && !isThrown(node)) check(node, isSentence);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return [...found].sort(([one], [other]) => one - other).map(([, text]) => text);
}

const hasLetters = (text: string) => /\p{L}/u.test(text);
const isWords = (text: string) => hasLetters(text) && /\s\S|\S\s|\p{Lu}/u.test(text);
/** Returns whether a text reads like a sentence: it begins with a capitalized word and has a space. */
const isSentence = (text: string) => /^\p{Lu}[\p{Ll}’']*\s/u.test(text);

/** Whether a text begins like a word that is shown, in a table of words: `{ create: "Created" }`. */
const isCapitalized = (text: string) => /^\p{Lu}\p{Ll}/u.test(text);

function attributeCheck(name: string): (text: string) => boolean {
  if (WORD_PROPS.has(name)) return hasLetters;
  return CODE_ATTRIBUTES.test(name) ? isSentence : isWords;
}

function propertyCheck(quoted: string): (text: string) => boolean {
  const name = quoted.replace(/^["']|["']$/g, "");
  if (WORD_PROPS.has(name)) return hasLetters;
  if (TEXT_PROPS.has(name)) return isWords;
  return CODE_PROPERTIES.test(name) ? isSentence : isCapitalized;
}

function isLiteral(node: ts.Node): node is ts.StringLiteral | ts.TemplateExpression | ts.NoSubstitutionTemplateLiteral {
  return ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);
}

/** Whether a literal is in the message of an error for developers: `throw new Error("…")`. */
function isThrown(node: ts.Node): boolean {
  return ts.isNewExpression(node.parent) && /^(?:\w*)Error$/.test(node.parent.expression.getText());
}

/** Lists the literals that an expression can evaluate to, each with its text without values. */
function literalsOf(node: ts.Node): { node: ts.Node; text: string }[] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [{ node, text: node.text }];
  if (ts.isTemplateExpression(node)) {
    const texts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
    const inner = node.templateSpans.flatMap(({ expression }) => literalsOf(expression));
    return [{ node, text: texts.join("…") }, ...inner];
  }
  if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
  if (ts.isBinaryExpression(node)) {
    const isChoice = [ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.PlusToken].includes(
      node.operatorToken.kind,
    );
    const left = isChoice ? literalsOf(node.left) : [];
    const isValue = isChoice || node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
    return isValue ? [...left, ...literalsOf(node.right)] : [];
  }
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
    return literalsOf(node.expression);
  }
  if (ts.isJsxExpression(node)) return node.expression ? literalsOf(node.expression) : [];
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(literalsOf);
  return [];
}
