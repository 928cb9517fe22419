/** Parts of tables, by the names of the tables in whose place they stand while a law is held over them. */
export type TableSubset = Readonly<Record<string, string>>;

/** The slice as the beginning of a statement: what follows reads the parts under the names of the tables. */
export function withTableSubset(slice: TableSubset): string {
  const parts = Object.entries(slice).map(([table, part]) => `${table} as (${part})`);
  return parts.length > 0 ? `with ${parts.join(', ')}` : '';
}
