import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { listTlds } from './list-tlds.ts';
import type { Tld } from './tld.ts';

/** Every TLD that is sold, by its A-labels, as it was a short while ago at most. */
export interface TldCatalogue {
  read(): Promise<ReadonlyMap<string, Tld>>;
}

/** Reads them all in one SQL statement, at most once in `keepMs` however many ask; a failure is not kept. */
export function createTldCatalogue(
  deps: { db: Database; clock: Clock },
  keepMs: number,
): TldCatalogue {
  let kept: { until: number; tlds: Promise<ReadonlyMap<string, Tld>> } | undefined;
  return {
    read() {
      const now = deps.clock.now().getTime();
      if (kept && now < kept.until) return kept.tlds;
      const tlds = listTlds(deps).then((all) => new Map(all.map((tld) => [tld.tld, tld])));
      const reading = { until: now + keepMs, tlds };
      kept = reading;
      tlds.catch(() => {
        if (kept === reading) kept = undefined;
      });
      return tlds;
    },
  };
}
