/** A row from JSON, with its time as text. */
export type AsJson<T extends { at: Date }> = Omit<T, 'at'> & { at: string };

/** Converts the time of a row from JSON to a date. */
export function parseAt<T extends { at: string }>(row: T): Omit<T, 'at'> & { at: Date } {
  return { ...row, at: new Date(row.at) };
}
