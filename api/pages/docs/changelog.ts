/** A list of changes for operators, up to the next list or heading. */
const FOR_OPERATORS = /^For operators:\n[\s\S]*?(?=^For |^#|(?![\s\S]))/gm;
/** A third-level heading with nothing below it. */
const EMPTY_SECTION = /^### .*\n\s*(?=^#|(?![\s\S]))/gm;

/** Returns the changelog's Markdown without changes that only operators of the service notice. */
export function changesForReaders(changelog: string): string {
  return changelog.replace(FOR_OPERATORS, '').replace(EMPTY_SECTION, '');
}
