import { inputParts, inputType } from './input-parts.ts';
import { RENAMED } from './method-name.ts';
import type { ReadOperation } from './read-operations.ts';
import { comment, typeText } from './type-text.ts';
import { BANNER } from './types-text.ts';

/** Returns the interface of all methods, and the table from which they are created. */
export function operationsText(operations: readonly ReadOperation[]): string {
  const byResource = [...groupByResource(operations)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const methods = byResource.flatMap(([resource, here]) => [
    `  ${resource}: {`,
    ...here.flatMap((operation) => [
      ...comment(textOf(operation), '    '),
      `    ${operation.name.verb}: ${methodType(operation)};`,
    ]),
    '  };',
  ]);
  const former = Object.entries(RENAMED).flatMap(([name, resource]) => [
    `  /** @deprecated Use \`${resource}\`. */`,
    `  ${name}: Methods['${resource}'];`,
  ]);
  const table = byResource.flatMap(([resource, here]) => [
    `  ${resource}: {`,
    ...here.map((operation) => `    ${operation.name.verb}: ${JSON.stringify(rowOf(operation))},`),
    '  },',
  ]);
  return `${[
    BANNER,
    `import type { KeyedMethod, Method, NoInput, WithCsv, WithPages, WithPdf } from '../method.ts';`,
    `import type { Operation } from '../operation.ts';`,
    'import type {',
    ...typesUsed(operations).map((name) => `  ${name},`),
    `} from './types.ts';`,
    '',
    '/** Every endpoint of the partner API. */',
    'export interface Methods {',
    ...methods,
    ...former,
    '}',
    '',
    'export const OPERATIONS: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {',
    ...table,
    '};',
    '',
    '/** What a resource was called before → its name. */',
    `export const FORMER_NAMES = ${JSON.stringify(RENAMED)} as const;`,
  ].join('\n')}\n`;
}

function groupByResource(operations: readonly ReadOperation[]): Map<string, ReadOperation[]> {
  const groups = new Map<string, ReadOperation[]>();
  for (const operation of operations) {
    const { resource, verb } = operation.name;
    const group = groups.get(resource) ?? [];
    if (group.some(({ name }) => name.verb === verb)) {
      throw new Error(`two endpoints would be ${resource}.${verb}`);
    }
    groups.set(resource, [...group, operation]);
  }
  return groups;
}

function textOf({ text, deprecated }: ReadOperation): string {
  return deprecated ? `${text}\n\n@deprecated` : text;
}

function methodType(operation: ReadOperation): string {
  const input = inputType(operation);
  const answer = answerType(operation);
  const { pages } = operation;
  return [
    `${operation.keyed ? 'KeyedMethod' : 'Method'}<${input}, ${answer}>`,
    ...(pages ? [`WithPages<${input}, ${answer}, ${answer}['${pages.items}'][number]>`] : []),
    ...(operation.csv ? [`WithCsv<${input}>`] : []),
    ...(operation.pdf ? [`WithPdf<${input}>`] : []),
  ].join(' & ');
}

function answerType({ answer }: ReadOperation): string {
  return answer ? typeText(answer) : 'void';
}

function typesUsed(operations: readonly ReadOperation[]): string[] {
  const names = operations.flatMap((operation) => {
    const { ownName, bodyType } = inputParts(operation);
    return [ownName, bodyType, answerType(operation)];
  });
  return [...new Set(names.filter((name) => name !== undefined && name !== 'void'))]
    .map(String)
    .sort();
}

function rowOf(operation: ReadOperation) {
  return {
    method: operation.method,
    path: operation.path,
    ...(operation.queryParameters.length > 0 && {
      query: operation.queryParameters.map(({ name }) => name),
    }),
    ...(operation.body && { body: true }),
    ...(operation.keyed && { keyed: true }),
    ...(operation.csv && { csv: true }),
    ...(operation.pdf && { pdf: true }),
    ...(operation.pages && { pages: operation.pages }),
  };
}
