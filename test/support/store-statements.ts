import { SqlStatement } from '../../shared/platform/database/sql-statement.ts';
import { readSources } from './sources.ts';

/** A statement that a store exports, by itself or among variants. */
export interface StoreStatement {
  /** Such as `shared/market/tlds/tld.store.ts`. */
  file: string;
  /** Such as `selectTld`, or `selectMarketPage.newest.first.all` for variants. */
  name: string;
  statement: SqlStatement<unknown, unknown>;
}

/** Returns every statement of every store, file by file. */
export async function readStoreStatements(): Promise<StoreStatement[]> {
  const found: StoreStatement[] = [];
  for (const { file } of readSources().filter(({ file }) => file.endsWith('.store.ts'))) {
    const exported: Record<string, unknown> = await import(`../../${file}`);
    for (const [name, statement] of Object.entries(exported).flatMap(statementsIn)) {
      found.push({ file, name, statement });
    }
  }
  return found;
}

/** Returns the statements in one export of a store. */
export function statementsIn([name, value]: readonly [string, unknown]): [
  string,
  SqlStatement<unknown, unknown>,
][] {
  if (value instanceof SqlStatement) return [[name, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => statementsIn([`${name}.${key}`, inner]));
}

/** Returns the statements that create the temporary tables a statement may name: others of its store. */
export function temporaryTablesOf(
  { file }: StoreStatement,
  statements: readonly StoreStatement[],
): string[] {
  return statements
    .filter((each) => each.file === file)
    .map(({ statement }) => statement.text)
    .filter((text) => text.startsWith('create temporary table'));
}
