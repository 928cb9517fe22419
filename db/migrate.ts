import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import knexModule, { type Knex } from 'knex';

const FOLDER = fileURLToPath(new URL('./migrations/', import.meta.url));

/** Migrations are known by their file name without its ending, so that it does not matter how they are run. */
const migrationSource: Knex.MigrationSource<string> = {
  async getMigrations() {
    const files = await readdir(FOLDER);
    return files
      .filter((file) => /^\d{14}_\w+\.[jt]s$/.test(file))
      .map((file) => basename(file).replace(/\.[jt]s$/, ''))
      .sort();
  },
  getMigrationName: (name) => name,
  async getMigration(name) {
    const files = await readdir(FOLDER);
    const file = files.find((candidate) => candidate.replace(/\.[jt]s$/, '') === name);
    if (!file) throw new Error(`migration ${name} is not in db/migrations`);
    return import(pathToFileURL(FOLDER + file).href);
  },
};

/** Brings the database at `url` to the newest schema; several at once wait for each other. */
export async function migrate(url: string): Promise<{ applied: string[] }> {
  const knex = knexModule({ client: 'pg', connection: url, pool: { min: 1, max: 1 } });
  try {
    // An advisory lock queues a second migrator behind the first; knex's own lock would make it fail.
    await knex.raw(`select pg_advisory_lock(hashtext('marketplace-migrate'))`);
    const [, applied] = await knex.migrate.latest({ migrationSource });
    return { applied };
  } finally {
    await knex.destroy();
  }
}

/** Names of the migrations that this code has and the database has not. */
export async function pendingMigrations(knex: Knex): Promise<string[]> {
  const known = await migrationSource.getMigrations([]);
  const rows = await knex('knex_migrations').select('name');
  const applied = new Set(rows.map((row: { name: string }) => row.name));
  return known.filter((name) => !applied.has(name));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { loadConfig } = await import('../shared/platform/config.ts');
  const { applied } = await migrate(loadConfig().databaseUrl);
  process.stdout.write(
    applied.length ? `migrated: ${applied.join(', ')}\n` : 'schema is up to date\n',
  );
}
