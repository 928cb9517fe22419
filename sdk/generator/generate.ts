import type { ApiDocument } from './document.ts';
import { methodsText } from './methods-text.ts';
import { operationsText } from './operations-text.ts';
import { readOperations } from './read-operations.ts';
import { typesText } from './types-text.ts';

/** Returns the text of the generated files, by their path below `sdk/`. */
export function generate(document: ApiDocument): Record<string, string> {
  const operations = readOperations(document);
  return {
    'src/generated/types.ts': typesText(document, operations),
    'src/generated/operations.ts': operationsText(operations),
    'METHODS.md': methodsText(operations),
  };
}
