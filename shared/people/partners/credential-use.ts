import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Clock, SECOND } from '../../platform/clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { updateLastUsed } from './credential.store.ts';

/** How long uses are buffered before they are written. */
const FLUSH_MS = 30 * SECOND;

/** Records when keys were last used, without delaying requests. */
export interface CredentialUse {
  /** Records a use. Returns at once and never throws. */
  note(keyId: string): void;
  /** Writes the buffered uses. Never throws; uses that cannot be written are lost. */
  flush(): Promise<void>;
  /** Writes the remaining uses. */
  close(): Promise<void>;
}

/** Creates a recorder that buffers uses in memory and writes them in one statement after some seconds. */
export function createCredentialUse(deps: {
  db: Database;
  clock: Clock;
  log: Logger;
}): CredentialUse {
  const { db, clock, log } = deps;
  let waiting = new Map<string, Date>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.size === 0) return;
    const uses = waiting;
    waiting = new Map();
    try {
      const write = { keyIds: [...uses.keys()], usedAts: [...uses.values()] };
      await updateLastUsed.run(db.knex, write);
    } catch (error) {
      log.warn({ err: error, keys: uses.size }, 'last uses of keys: not written');
    }
  }

  return {
    note(keyId) {
      waiting.set(keyId, clock.now());
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    },
    flush,
    close: flush,
  };
}
