/** How much of it there is. */
export interface HistorySize {
  partners: number;
  orders: number;
  events: number;
}

/** What fills a table. */
export type Filling = readonly [table: string, text: string];

export const DAY_MS = 86_400_000;
export const YEAR_MS = 365 * DAY_MS;

/** A moment so many days ago, for SQL. */
export const ago = (now: Date, days: number) =>
  `timestamptz '${new Date(now.getTime() - days * DAY_MS).toISOString()}'`;
