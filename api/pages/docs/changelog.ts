/** A list for operators, up to the next list or heading. */
const FOR_OPERATORS = /^For operators:\n[\s\S]*?(?=^For |^#|(?![\s\S]))/gm;
/** A heading of the third level with nothing below it. */
const EMPTY_SECTION = /^### .*\n\s*(?=^#|(?![\s\S]))/gm;

/** The Markdown of the changes without what only operators of the service notice. */
export function changesForReaders(changelog: string): string {
  return changelog.replace(FOR_OPERATORS, '').replace(EMPTY_SECTION, '');
}
