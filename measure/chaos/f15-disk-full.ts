import { type OwnPostgres, startOwnPostgres } from '../../test/support/own-postgres.ts';
import { type Market, withMarket } from './market.ts';
import { sellThrough, type WriteFault } from './sell-through.ts';
import type { FaultRun } from './trial.ts';

/** Enough for an empty Postgres, the run's tables, and some spare room. */
const DISK_MB = 400;

export const diskFull: FaultRun = {
  id: 'F15',
  title: 'The disk of Postgres is full',
  async run(trial) {
    const postgres = await startOwnPostgres({ diskMb: DISK_MB });
    try {
      if (!postgres.disk) trial.note('no disk could be mounted, so triggers say that it is full');
      await withMarket(trial, { postgres: postgres.url }, async (market) => {
        const fault = postgres.disk ? filled(postgres) : await pretended(market);
        await sellThrough(trial, market, fault);
      });
    } finally {
      await postgres.remove();
    }
  },
};

function filled({ disk, start }: OwnPostgres): WriteFault {
  return {
    async begin() {
      disk?.fill();
    },
    async end() {
      disk?.free();
      // A checkpoint on a full disk ends the server, which can't restart until there is room.
      await start();
    },
  };
}

/** For machines where we can't mount a disk: triggers raise the same Postgres error on every insert. */
async function pretended({ runtime }: Market): Promise<WriteFault> {
  const { knex } = runtime.db;
  await knex.raw(`
    create table disk (is_full boolean not null);
    insert into disk values (false);
    create function say_full() returns trigger language plpgsql as $$
      begin
        if (select is_full from disk) then
          raise exception 'could not extend file' using errcode = 'disk_full';
        end if;
        return null;
      end $$`);
  for (const table of ['orders', 'order_timeline', 'events', 'outbox', 'transfers']) {
    await knex.raw(
      `create trigger say_full after insert on ${table} for each statement execute function say_full()`,
    );
  }
  const set = async (full: boolean) => void (await knex.raw('update disk set is_full = ?', [full]));
  return { begin: () => set(true), end: () => set(false) };
}
