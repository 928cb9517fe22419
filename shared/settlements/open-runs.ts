import type { Environment } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { countOpenRuns } from './settlement-run.store.ts';

export interface OpenSettlementRuns {
  environment: Environment;
  count: number;
  oldest: Date | null;
}

/** Settlement runs that have not ended, by environment. */
export function countOpenSettlementRuns({ db }: { db: Database }): Promise<OpenSettlementRuns[]> {
  return db.readForMonitoring(countOpenRuns);
}
