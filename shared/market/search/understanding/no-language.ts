const CODE = new RegExp(
  [
    String.raw`[\w)\]]\s*[=!]==?\s*[\w"'([]`,
    String.raw`=>|&&|\|\||\w\(\)|\+\+[;)]`,
    String.raw`<\/?[a-z][a-z\d]*[^<>]*>`,
    String.raw`[(=].*;\s*$|\{[^}]*[:;][^}]*\}`,
    String.raw`^import\s+\S+\s+as\s+\S+$`,
    String.raw`\bselect \*|\bselect\b.*\bfrom\b.*(?:\bwhere\b.*=|;)`,
  ].join('|'),
  'iu',
);
/** A number with or without a variable, or a variable. `24/7`, `9-5` and `50+` can be names. */
const OPERAND = String.raw`(?:\d+(?:[.,]\d+)*[a-z]?|[a-z](?:\d+|\([a-z]\))?)`;
const SIGNS = String.raw`[-+*/=<>^×÷·%!√?\s()]`;
const FORMULA = new RegExp(
  String.raw`^(?=.*[\d=])(?=.*(?:[+*=^×÷√].*[\p{L}\d?]|\s[-/]\s))${SIGNS}*${OPERAND}(?:${SIGNS}+${OPERAND})*${SIGNS}*$`,
  'iu',
);

/** Returns whether a text is arithmetic or code, and so not about a name. */
export function isNoLanguage(text: string): boolean {
  return FORMULA.test(text) || CODE.test(text);
}
