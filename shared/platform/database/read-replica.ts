import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../observability/logger.ts';

/** Runs a read on the replica if it is available and current, otherwise on the primary. */
export interface ReadReplica {
  read<T>(query: (sql: Knex) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * A replica that has not replayed what the primary committed this long ago is not used, so its data is at most twice
 * this old.
 */
const CHECK_MS = 1_000;
/** SQLSTATEs: the statement was canceled by a recovery conflict, or a migration has not been replayed yet. */
const RETRY_ON_PRIMARY = new Set(['40001', '40P01', '42P01', '42703', '42883']);
/** Errors for a lost or refused connection, or a lack of disk space or memory. */
const UNREACHABLE =
  /^(08|53|57P|58030)|^E(CONN|PIPE|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN)|^Knex:|connection|timeout/i;

/** Creates a read replica: checks its progress every second, and reads from the primary while it lags. */
export function createReadReplica(primary: Knex, replica: Knex, log: Logger): ReadReplica {
  const closing = new AbortController();
  let usable = false;
  const turn = (next: boolean, why: object) => {
    if (next !== usable && !closing.signal.aborted) {
      log[next ? 'info' : 'warn'](
        why,
        next ? 'replica: in use' : 'replica: reads go to the primary',
      );
    }
    usable = next;
  };
  const watch = async () => {
    while (!closing.signal.aborted) {
      const fresh = await hasCaughtUp(primary, replica, closing.signal).catch((err: Error) => ({
        err,
      }));
      turn(fresh === true, fresh === true ? {} : fresh === false ? { behind: true } : fresh);
      await sleep(CHECK_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
  };
  const watching = watch();

  return {
    async read(query) {
      if (!usable) return query(primary);
      try {
        return await query(replica);
      } catch (error) {
        const { code = '', message = '' } = error as { code?: string; message?: string };
        const away = UNREACHABLE.test(code) || (code === '' && UNREACHABLE.test(message));
        if (away) turn(false, { err: error });
        else if (!RETRY_ON_PRIMARY.has(code)) throw error;
        return query(primary);
      }
    },
    async close() {
      closing.abort();
      await watching;
      await replica.destroy();
    },
  };
}

/**
 * Returns whether the replica replays the primary's current position within a second. A server that does not replay a
 * log (a proxy, a second primary) has no position and counts as current.
 */
async function hasCaughtUp(primary: Knex, replica: Knex, signal: AbortSignal): Promise<boolean> {
  const { rows: written } = await primary.raw<{ rows: { position: string }[] }>(
    'select pg_current_wal_lsn()::text as position',
  );
  const replayed = async () => {
    const { rows } = await replica.raw<{ rows: { there: boolean }[] }>(
      'select coalesce(pg_last_wal_replay_lsn() >= ?::pg_lsn, true) as there',
      [written[0]?.position ?? '0/0'],
    );
    return rows[0]?.there === true;
  };
  if (await replayed()) return true;
  await sleep(CHECK_MS, undefined, { signal, ref: false }).catch(() => {});
  return replayed();
}
