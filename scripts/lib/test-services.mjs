import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Returns the environment of a test run against its own services, with a data directory that is deleted afterwards.
 * Nothing from the developer's setup leaks in, so tests never touch the database of a running demo.
 */
export function testEnv(shutdown, { postgres, redis }) {
  const runId = randomBytes(4).toString('hex');
  if (postgres.external) shutdown.add(() => dropDatabases(postgres.url, `dm_test_${runId}`));
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'dm-test-'));
  shutdown.add(async () => rmSync(dataDir, { recursive: true, force: true }));

  const env = { ...process.env };
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL', 'PORT', 'BASE_URL']) {
    delete env[name];
  }
  return {
    ...env,
    DATA_DIR: dataDir,
    TEST_DATABASE_URL: postgres.url,
    TEST_REDIS_URL: redis.url,
    // Databases of this run are named dm_test_<run id>..., so that we can drop them on a shared server.
    TEST_RUN_ID: runId,
  };
}

/** Drops every database whose name starts with `prefix`, on a server that we can't just delete. */
async function dropDatabases(url, prefix) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    );
    for (const { datname } of rows) {
      await client.query(
        `DROP DATABASE IF EXISTS ${client.escapeIdentifier(datname)} WITH (FORCE)`,
      );
    }
  } finally {
    await client.end();
  }
}
