/** As it arrives inside of JSON: with its time as text. */
export type AsJson<T extends { at: Date }> = Omit<T, 'at'> & { at: string };

/** Times inside of JSON arrive as text. */
export function parseAt<T extends { at: string }>(row: T): Omit<T, 'at'> & { at: Date } {
  return { ...row, at: new Date(row.at) };
}
