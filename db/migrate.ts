import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import knexModule, { type Knex } from 'knex';
import { addAllPartitions } from '../shared/operations/partitions/partitioned-tables.ts';

const FOLDER = fileURLToPath(new URL('./migrations/', import.meta.url));

/** What an empty database is made from: the schema with the migrations that it names in its last lines. */
export const SCHEMA_FILE = fileURLToPath(new URL('./schema.sql', import.meta.url));

/** The name under which a database remembers that it was made from the schema file. */
export const BASELINE = '20261127050000_baseline';
/** The last of the migrations that databases were made from before; with it a database has the schema of the baseline. */
const LAST_BEFORE_BASELINE = '20261127033500_deliver_by_queue';

/** Another folder and schema file than those of the service, and other times; for tests. */
export interface MigrateOptions {
  folder?: string;
  schemaFile?: string;
  lockTimeoutMs?: number;
  tries?: number;
}

/**
 * What queues behind a migration waits as long as the migration itself does. So it waits for a lock only for
 * so long, lets those behind it pass, and tries again: for five minutes, longer than any statement of the
 * service takes. An autovacuum gives way to who has waited for `deadlock_timeout`, a second by default: who gave
 * up by then would never come in while a large table is vacuumed.
 */
const LOCK_TIMEOUT_MS = 1_500;
const TRIES = 100;
/** No lock in time, or a deadlock with a transaction of the service, which went on: the next try finds it gone. */
const TRY_AGAIN: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/**
 * The baseline, and the migrations after it. They are known by their file name without its ending, so that it does not
 * matter how they are run.
 */
function migrationsIn(folder: string, schemaFile: string): Knex.MigrationSource<string> {
  return {
    async getMigrations() {
      // A folder that is empty is none in a clone.
      const files = existsSync(folder) ? await readdir(folder) : [];
      const names = files
        .filter((file) => /^\d{14}_\w+\.[jt]s$/.test(file))
        .map((file) => basename(file).replace(/\.[jt]s$/, ''));
      return [BASELINE, ...names.sort()];
    },
    getMigrationName: (name) => name,
    async getMigration(name) {
      if (name === BASELINE) return { up: (tx) => makeSchema(tx, schemaFile), down: nothingBefore };
      const files = await readdir(folder);
      const file = files.find((candidate) => candidate.replace(/\.[jt]s$/, '') === name);
      if (!file) throw new Error(`migration ${name} is not in ${folder}`);
      return import(pathToFileURL(join(folder, file)).href);
    },
  };
}

/**
 * Makes an empty database from the schema file, with the partitions of now: what is written before the fleet makes its
 * next ones has its place. What the file has of migrations is done.
 */
async function makeSchema(tx: Knex, schemaFile: string): Promise<void> {
  const schema = await readFile(schemaFile, 'utf8');
  // Past knex, to which a question mark is a parameter.
  const connection = await tx.client.acquireConnection();
  await connection.query(schema);
  const { rows } = await tx.raw('select now() as now');
  await addAllPartitions(tx, rows[0].now);
  const names = Array.from(schema.matchAll(/^-- migration (\w+)$/gm), ([, name]) => name);
  await remember(tx, names);
}

async function nothingBefore(): Promise<void> {
  throw new Error('nothing is before the baseline');
}

/** As knex remembers the migrations that it has run. */
async function remember(knex: Knex, names: readonly (string | undefined)[]): Promise<void> {
  if (names.length === 0) return;
  const rows = names.map((name) => ({ name, batch: 1, migration_time: new Date() }));
  await knex('knex_migrations').insert(rows);
}

/**
 * Takes over a database of the time before the baseline: all of its migrations have made the same schema.
 * @returns whether it was one
 * @throws Error when it has only some of them
 */
async function adopt(knex: Knex): Promise<boolean> {
  if (!(await knex.schema.hasTable('knex_migrations'))) return false;
  const applied: string[] = await knex('knex_migrations').orderBy('name').pluck('name');
  if (applied.length === 0 || applied.includes(BASELINE)) return false;
  if (!applied.includes(LAST_BEFORE_BASELINE)) {
    throw new Error(
      `The database is from an older release: it has the migrations up to ${applied.at(-1)}, and this release ` +
        `begins after ${LAST_BEFORE_BASELINE}. Nothing was changed. To keep its data, run \`npm run migrate\` of the ` +
        'release before this one (the last commit that has that file in db/migrations), then this release again. ' +
        'Without a need for its data, start with an empty database (`npm start`: with another DATA_DIR).',
    );
  }
  await remember(knex, [BASELINE]);
  return true;
}

/**
 * Brings the database at `url` to the newest schema: an empty one from the schema file in one transaction, then each
 * migration in a transaction of its own. Several at once wait for each other. A schema that is newer already is left as
 * it is, for a version that was rolled back.
 * @throws Error when a lock can't be had; what was applied until then stays. Or when the database has only some of the
 * migrations from before the baseline
 */
export async function migrate(
  url: string,
  options: MigrateOptions = {},
): Promise<{ applied: string[] }> {
  const {
    folder = FOLDER,
    schemaFile = SCHEMA_FILE,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    tries = TRIES,
  } = options;
  const knex = knexModule({
    client: 'pg',
    connection: { connectionString: url, application_name: 'migrate' },
    pool: { min: 1, max: 1 },
    // What it would say of a try that found no lock is told below.
    log: { warn() {}, error() {} },
  });
  const config: Knex.MigratorConfig = {
    migrationSource: migrationsIn(folder, schemaFile),
    disableMigrationsListValidation: true,
  };
  const applied: string[] = [];
  try {
    // An advisory lock queues a second migrator behind the first; knex's own lock would make it fail. A lock
    // of knex's that is there nonetheless was left by a migrator that was killed.
    await knex.raw(`select pg_advisory_lock(hashtext('marketplace-migrate'))`);
    await knex.migrate.forceFreeMigrationsLock(config);
    if (await adopt(knex)) applied.push(BASELINE);
    for (let tried = 1; ; ) {
      await knex.raw(`set lock_timeout = ${lockTimeoutMs}`);
      try {
        const [, names] = await knex.migrate.up(config);
        if (names.length === 0) return { applied };
        applied.push(...names);
        tried = 1;
      } catch (error) {
        if (!TRY_AGAIN.has((error as { code?: string }).code) || tried === tries) throw error;
        tried += 1;
        await sleep(lockTimeoutMs);
      }
    }
  } finally {
    await knex.destroy();
  }
}

/** Names of the migrations that this code has and the database has not. A newer schema has all of them. */
export async function pendingMigrations(knex: Knex): Promise<string[]> {
  const known = await migrationsIn(FOLDER, SCHEMA_FILE).getMigrations([]);
  const rows = await knex('knex_migrations').select('name');
  const applied = new Set(rows.map((row: { name: string }) => row.name));
  return known.filter((name) => !applied.has(name));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { loadConfig } = await import('../shared/platform/config/config.ts');
  const { grantToService } = await import('./service-role.ts');
  const { databaseUrl, databaseDirectUrl, databaseOwnerUrl } = loadConfig();
  const { applied } = await migrate(databaseOwnerUrl || databaseDirectUrl);
  if (databaseOwnerUrl)
    await grantToService(databaseOwnerUrl, decodeURIComponent(new URL(databaseUrl).username));
  process.stdout.write(
    applied.length ? `migrated: ${applied.join(', ')}\n` : 'schema is up to date\n',
  );
}
