import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import knexModule, { type Knex } from 'knex';

const FOLDER = fileURLToPath(new URL('./migrations/', import.meta.url));

/** Another folder than that of the service, and other times; for tests. */
export interface MigrateOptions {
  folder?: string;
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

/** Migrations are known by their file name without its ending, so that it does not matter how they are run. */
function migrationsIn(folder: string): Knex.MigrationSource<string> {
  return {
    async getMigrations() {
      const files = await readdir(folder);
      return files
        .filter((file) => /^\d{14}_\w+\.[jt]s$/.test(file))
        .map((file) => basename(file).replace(/\.[jt]s$/, ''))
        .sort();
    },
    getMigrationName: (name) => name,
    async getMigration(name) {
      const files = await readdir(folder);
      const file = files.find((candidate) => candidate.replace(/\.[jt]s$/, '') === name);
      if (!file) throw new Error(`migration ${name} is not in ${folder}`);
      return import(pathToFileURL(join(folder, file)).href);
    },
  };
}

/**
 * Brings the database at `url` to the newest schema, each migration in a transaction of its own; several at
 * once wait for each other. A schema that is newer already is left as it is, for a version that was rolled
 * back. @throws Error when a lock can't be had; what was applied until then stays
 */
export async function migrate(
  url: string,
  options: MigrateOptions = {},
): Promise<{ applied: string[] }> {
  const { folder = FOLDER, lockTimeoutMs = LOCK_TIMEOUT_MS, tries = TRIES } = options;
  const knex = knexModule({
    client: 'pg',
    connection: { connectionString: url, application_name: 'migrate' },
    pool: { min: 1, max: 1 },
    // What it would say of a try that found no lock is told below.
    log: { warn() {}, error() {} },
  });
  const config: Knex.MigratorConfig = {
    migrationSource: migrationsIn(folder),
    disableMigrationsListValidation: true,
  };
  const applied: string[] = [];
  try {
    // An advisory lock queues a second migrator behind the first; knex's own lock would make it fail. A lock
    // of knex's that is there nonetheless was left by a migrator that was killed.
    await knex.raw(`select pg_advisory_lock(hashtext('marketplace-migrate'))`);
    await knex.migrate.forceFreeMigrationsLock(config);
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
  const known = await migrationsIn(FOLDER).getMigrations([]);
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
