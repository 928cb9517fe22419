import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import knexModule, { type Knex } from 'knex';
import { addAllPartitions } from '../shared/operations/partitions/partitioned-tables.ts';

const FOLDER = fileURLToPath(new URL('./migrations/', import.meta.url));

/** The schema of a new database. Its last lines list the migrations it includes. */
export const SCHEMA_FILE = fileURLToPath(new URL('./schema.sql', import.meta.url));

/** The migration name that marks a database as created from the schema file. */
export const BASELINE = '20261127050000_baseline';
/** The last migration before the schema file existed; a database that has it has the baseline schema. */
const LAST_BEFORE_BASELINE = '20261127033500_deliver_by_queue';

/** Overrides the migrations folder, the schema file and the timings; for tests. */
export interface MigrateOptions {
  folder?: string;
  schemaFile?: string;
  lockTimeoutMs?: number;
  tries?: number;
}

/**
 * While a migration waits for a lock, everything queued behind it waits, too. So it gives up after a short time, lets
 * the others pass and tries again, for five minutes in all: longer than any statement of the API or workers may take.
 * The timeout must exceed `deadlock_timeout` (a second by default): only after that does an autovacuum yield its lock,
 * so a shorter wait would never succeed while a large table is being vacuumed.
 */
const LOCK_TIMEOUT_MS = 1_500;
const TRIES = 100;
/** Lock timeout, and a deadlock with a transaction of the service: that one proceeds, so the next try can succeed. */
const TRY_AGAIN: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/**
 * The baseline and the migrations after it. Their names have no file extension, so that they are the same from
 * TypeScript and from a build.
 */
function migrationsIn(folder: string, schemaFile: string): Knex.MigrationSource<string> {
  return {
    async getMigrations() {
      // Git does not keep an empty folder, so a clone may lack it.
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
 * Creates the schema in an empty database, with the current partitions, so that rows have a place until the workers
 * create the next ones. Marks the migrations that the file includes as done.
 */
async function makeSchema(tx: Knex, schemaFile: string): Promise<void> {
  const schema = await readFile(schemaFile, 'utf8');
  // Bypasses knex, which would treat a question mark as a parameter.
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

/** Records migrations as knex does after it has run them. */
async function remember(knex: Knex, names: readonly (string | undefined)[]): Promise<void> {
  if (names.length === 0) return;
  const rows = names.map((name) => ({ name, batch: 1, migration_time: new Date() }));
  await knex('knex_migrations').insert(rows);
}

/** The database is from a release that this one cannot migrate; its message says how to keep the data. */
class OlderDatabase extends Error {}

/**
 * Adopts a database from before the baseline: with all its migrations, it has the same schema.
 * @returns whether it was such a database
 * @throws OlderDatabase if it lacks some of those migrations
 */
async function adopt(knex: Knex): Promise<boolean> {
  if (!(await knex.schema.hasTable('knex_migrations'))) return false;
  const applied: string[] = await knex('knex_migrations').orderBy('name').pluck('name');
  if (applied.length === 0 || applied.includes(BASELINE)) return false;
  if (!applied.includes(LAST_BEFORE_BASELINE)) {
    throw new OlderDatabase(
      `The database is from an older release: it has the migrations up to ${applied.at(-1)}, and this release ` +
        `begins after ${LAST_BEFORE_BASELINE}. Nothing was changed. To keep its data, let the last release that has ` +
        'that migration migrate it, then start this one again:\n' +
        `  git checkout $(git log -1 --format=%h --diff-filter=D -- db/migrations/${LAST_BEFORE_BASELINE}.ts)~1\n` +
        '  npm ci && npm run migrate    (or npm start, with the same DATA_DIR)\n' +
        'If you do not need its data, start with an empty database (`npm start`: with another DATA_DIR).',
    );
  }
  await remember(knex, [BASELINE]);
  return true;
}

/**
 * Migrates the database at `url` to the latest schema: an empty one gets the schema file in one transaction, then each
 * migration runs in its own transaction. Concurrent runs wait for each other. A newer schema is left alone, so that a
 * release can be rolled back.
 * @throws Error if a lock can't be obtained (migrations applied until then stay), or if the database has only some of
 * the migrations from before the baseline
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
    // Silent, since a failed attempt is retried; the last error is thrown below.
    log: { warn() {}, error() {} },
  });
  const config: Knex.MigratorConfig = {
    migrationSource: migrationsIn(folder, schemaFile),
    disableMigrationsListValidation: true,
  };
  const applied: string[] = [];
  try {
    // An advisory lock queues a second migrator behind the first; knex's own lock would make it fail. If knex's lock is
    // set anyway, a killed migrator left it behind.
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

/** Returns the names of migrations in this code that the database lacks; none if its schema is newer. */
export async function pendingMigrations(knex: Knex): Promise<string[]> {
  const known = await migrationsIn(FOLDER, SCHEMA_FILE).getMigrations([]);
  const rows = await knex('knex_migrations').select('name');
  const applied = new Set(rows.map((row: { name: string }) => row.name));
  return known.filter((name) => !applied.has(name));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { loadConfig } = await import('../shared/platform/config/config.ts');
  const { grantToService } = await import('./service-role.ts');
  try {
    const { databaseUrl, databaseDirectUrl, databaseOwnerUrl } = loadConfig();
    const { applied } = await migrate(databaseOwnerUrl || databaseDirectUrl);
    if (databaseOwnerUrl)
      await grantToService(databaseOwnerUrl, decodeURIComponent(new URL(databaseUrl).username));
    process.stdout.write(
      applied.length ? `migrated: ${applied.join(', ')}\n` : 'schema is up to date\n',
    );
  } catch (error) {
    if (!(error instanceof OlderDatabase)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
