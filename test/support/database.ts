import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate, SCHEMA_FILE } from '../../db/migrate.ts';

const MIGRATIONS = fileURLToPath(new URL('../../db/migrations/', import.meta.url));

/** The name prefix of a run's databases, which identifies them on a shared server. */
const PREFIX = `dm_test_${process.env.TEST_RUN_ID ?? 'local'}`;

/** A database for one test, with the latest schema and no rows. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** What a database is copied from, and how. */
interface Template {
  name: string;
  strategy: string;
}

/** Connections to the run's own server that create and drop databases; those without work don't keep a process alive. */
const admins = new pg.Pool({
  connectionString: process.env.TEST_DATABASE_URL,
  allowExitOnIdle: true,
});
admins.on('error', () => {});
/** The template on the run's own server. */
let ownTemplate: Promise<Template> | undefined;

/**
 * Clones a database from a template that the first caller builds; later callers only wait for it. `server` is the URL
 * of a server other than the run's own.
 */
export async function createTestDatabase(server?: string): Promise<TestDatabase> {
  return withAdmin(server, async (admin) => {
    const { name: template, strategy } = await templateOn(admin, server);
    const name = `${PREFIX}_${randomBytes(6).toString('hex')}`;
    await admin.query(`create database ${name} template ${template} ${strategy}`);
    return { url: urlOf(name, server), drop: () => dropDatabase(name, server) };
  });
}

function templateOn(admin: pg.ClientBase, server: string | undefined): Promise<Template> {
  if (server) return ensureTemplate(admin, server);
  ownTemplate ??= ensureTemplate(admin, adminUrl());
  return ownTemplate;
}

/** Runs `work` with a connection that may create databases: one that is kept, or a new one to another server. */
async function withAdmin<T>(
  server: string | undefined,
  work: (admin: pg.ClientBase) => Promise<T>,
): Promise<T> {
  if (!server) {
    adminUrl();
    const admin = await admins.connect();
    try {
      return await work(admin);
    } finally {
      admin.release();
    }
  }
  const admin = new pg.Client(server);
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** Returns the quickest strategy: copying files takes under half the time of the log, unless files must be synced. */
async function quickestCopy(admin: pg.ClientBase): Promise<string> {
  const { rows } = await admin.query<{ fsync: string }>('show fsync');
  return rows[0]?.fsync === 'off' ? 'strategy file_copy' : '';
}

/** Creates a database without a schema. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = `${PREFIX}_${randomBytes(6).toString('hex')}`;
  await withAdmin(undefined, (admin) => admin.query(`create database ${name} template template0`));
  return { url: urlOf(name), drop: () => dropDatabase(name) };
}

async function ensureTemplate(admin: pg.ClientBase, server: string): Promise<Template> {
  const name = `${PREFIX}_template_${schemaDigest()}`;
  await admin.query(`select pg_advisory_lock(hashtext('dm-test-template'))`);
  try {
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      const building = `${name}_building`;
      await admin.query(`drop database if exists ${building} with (force)`);
      await admin.query(`create database ${building}`);
      await migrate(urlOf(building, server));
      await admin.query(`alter database ${building} rename to ${name}`);
    }
  } finally {
    await admin.query(`select pg_advisory_unlock(hashtext('dm-test-template'))`);
  }
  return { name, strategy: await quickestCopy(admin) };
}

function schemaDigest(): string {
  const hash = createHash('sha256').update(readFileSync(SCHEMA_FILE));
  const files = existsSync(MIGRATIONS) ? readdirSync(MIGRATIONS).sort() : [];
  for (const file of files) hash.update(readFileSync(MIGRATIONS + file));
  return hash.digest('hex').slice(0, 12);
}

async function dropDatabase(name: string, server?: string): Promise<void> {
  await withAdmin(server, (admin) => admin.query(`drop database if exists ${name} with (force)`));
}

function adminUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('run the tests with `npm test`, which brings Postgres and Redis');
  return url;
}

function urlOf(database: string, server = adminUrl()): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
