import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import { insertClient, selectClient } from './client.store.ts';

/** Registered clients. */
export interface ClientRecords {
  save(id: string, metadata: Record<string, unknown>): Promise<void>;
  find(id: string): Promise<Record<string, unknown> | undefined>;
}

export function clientRecords({ db, clock }: { db: Database; clock: Clock }): ClientRecords {
  return {
    save: (id, metadata) => insertClient(db.knex, { id, metadata, createdAt: clock.now() }),
    find: (id) => selectClient(db.knex, id),
  };
}
