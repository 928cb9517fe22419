/** The amount of history. */
export interface HistorySize {
  partners: number;
  orders: number;
  events: number;
}

/** The SQL that fills a table. */
export type Filling = readonly [table: string, text: string];

export const DAY_MS = 86_400_000;
export const YEAR_MS = 365 * DAY_MS;

/** Returns SQL for the time this many days ago. */
export const ago = (now: Date, days: number) =>
  `timestamptz '${new Date(now.getTime() - days * DAY_MS).toISOString()}'`;
