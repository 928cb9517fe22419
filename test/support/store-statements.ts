import { SqlStatement } from '../../shared/platform/database/sql-statement.ts';
import { readSources } from './sources.ts';

/** A statement that a store exports, by itself or among variants. */
export interface StoreStatement {
  /** `shared/market/tlds/tld.store.ts` */
  file: string;
  /** `selectTld`, or `selectMarketPage.newest.first.all` of variants. */
  name: string;
  statement: SqlStatement<unknown, unknown>;
}

/** Every statement of every store, file by file. */
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

/** The statements in what a store exports by this name. */
export function statementsIn([name, value]: readonly [string, unknown]): [
  string,
  SqlStatement<unknown, unknown>,
][] {
  if (value instanceof SqlStatement) return [[name, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => statementsIn([`${name}.${key}`, inner]));
}

/** What makes the temporary tables that a statement may name: other statements of its store. */
export function temporaryTablesOf(
  { file }: StoreStatement,
  statements: readonly StoreStatement[],
): string[] {
  return statements
    .filter((each) => each.file === file)
    .map(({ statement }) => statement.text)
    .filter((text) => text.startsWith('create temporary table'));
}
