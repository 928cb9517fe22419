import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, MINUTE } from '../../platform/clock.ts';
import { invalid } from '../../platform/errors.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { digestOf, type ListEntry } from './list-entry.ts';
import { type ListFormat, readList } from './list-files/read-list.ts';
import { readName } from './name-form.ts';
import { keysOf } from './name-keys.ts';
import type { Rescreened, RescreenProgress } from './rescreened.ts';
import { rescreenJob } from './screening.jobs.ts';
import * as store from './screening.store.ts';

/** A loaded version of a list. */
export interface LoadedList {
  list: string;
  version: number;
  format: ListFormat;
  entries: number;
  names: number;
  /** The number of records that are not people or companies, or have no name. */
  skipped: number;
}

/** The number of rows per statement. */
const BATCH = 500;
/** If a list loses more than this share of its entries, the file is considered truncated. */
const MOST_LOST = 0.5;
/** The wait before rescreening. By then, transactions that read the old version have ended, so no order is missed. */
const SETTLED_MS = MINUTE;

/**
 * Replaces a list with the entries of a file, in one transaction. Until it commits, parties are screened against the
 * previous version. Then open orders, registrants and payees are screened again.
 * @throws validation_error, without any change, when the file is empty, broken, has an entry twice, or has fewer than
 *   half of the previous version's entries, unless `acceptLoss`
 */
export async function importList(
  { db }: { db: Database },
  actor: string,
  given: {
    list: string;
    fileName: string;
    /** Opens the file from the start, because the transaction may run again. */
    open(): AsyncIterable<Uint8Array>;
    acceptLoss: boolean;
    onProgress?: (entries: number) => void;
  },
): Promise<LoadedList> {
  const { list, fileName: file } = given;
  return db.transact(async (uow) => {
    const now = uow.realNow;
    const before = await store.upsertList.one(uow.sql, { list, file, importedBy: actor, now });
    while ((await store.deleteEntries.run(uow.sql, { list, limit: BATCH })) > 0);
    const { entries, names, skipped, format } = await writeEntries(uow, given);
    if (!given.acceptLoss && entries < before.entries * MOST_LOST) {
      throw refused(
        `has ${entries} entries, the version before has ${before.entries}: if that is right, use --accept-loss`,
      );
    }
    await store.updateListRead.run(uow.sql, { list, format, entries, skipped });
    const { version } = before;
    uow.jobs.add(rescreenJob, { list, version }, { runAt: addMs(uow.now, SETTLED_MS) });
    const loaded = { list, version, format, entries, names, skipped };
    const after = { ...loaded, file };
    await recordAudit(uow, { actor, action: 'screening:import', subject: list, after });
    return loaded;
  });
}

async function writeEntries(
  uow: UnitOfWork,
  { list, open, onProgress }: Parameters<typeof importList>[2],
): Promise<Omit<LoadedList, 'list' | 'version'>> {
  const counts = { entries: 0, names: 0, skipped: 0 };
  let format: ListFormat | undefined;
  let batch: ListEntry[] = [];
  const write = async () => {
    counts.names += await writeBatch(uow, list, batch);
    counts.entries += batch.length;
    batch = [];
    onProgress?.(counts.entries);
  };
  for await (const read of readList(open(), list)) {
    format = read.format;
    if (read.entry) batch.push(read.entry);
    else counts.skipped += 1;
    if (batch.length === BATCH) await write();
  }
  if (batch.length > 0) await write();
  if (format === undefined || counts.entries === 0) throw refused('has no entries');
  return { ...counts, format };
}

/** Inserts entries and their names. Returns the number of names. */
async function writeBatch(
  uow: UnitOfWork,
  list: string,
  batch: readonly ListEntry[],
): Promise<number> {
  const entries = batch.map((entry) => ({
    id: entry.id,
    kind: entry.kind,
    name: entry.name,
    birth_dates: entry.birthDates,
    countries: entry.countries,
    programme: entry.programme,
    digest: digestOf(entry),
  }));
  const written = new Set(
    (await store.insertEntries.all(uow.sql, { list, entries })).map(({ id }) => id),
  );
  const twice = batch.find(({ id }) => !written.delete(id));
  if (twice) throw refused(`has the entry ${twice.id} twice`);
  const names = batch.flatMap(({ id, kind, name, aliases }) =>
    [name, ...aliases].map((each) => ({
      entry_id: id,
      name: each,
      keys: keysOf(readName(each, kind)),
    })),
  );
  await store.insertNames.run(uow.sql, { list, names });
  return names.length;
}

type Version = { list: string; version: number };

/** Returns where the rescreening for a version of a list continues. */
export async function readProgress(
  { db }: { db: Database },
  { list, version }: Version,
): Promise<RescreenProgress> {
  const noted = await store.selectProgress.first(db.knex, { list, version });
  const found = { orders: 0, changes: 0, registrants: 0, payees: 0, hits: 0 };
  return noted?.progress ?? { kind: 0, after: '', found };
}

/** Records where the rescreening continues. Does nothing once a newer version is loaded. */
export async function noteProgress(
  { db }: { db: Database },
  { list, version }: Version,
  progress: RescreenProgress,
): Promise<void> {
  await store.updateProgress.run(db.knex, { list, version, progress });
}

/** Records the result of rescreening for a version of a list. Does nothing once a newer version is loaded. */
export async function noteRescreened(
  uow: UnitOfWork,
  { list, version, orders, registrants, payees, hits }: Version & Rescreened,
): Promise<void> {
  const found = { orders, registrants, payees, hits };
  await store.updateRescreened.run(uow.sql, { list, version, ...found, now: uow.realNow });
}

function refused(why: string) {
  return invalid([{ path: '/file', message: why }]);
}
