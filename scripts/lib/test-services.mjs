/**
 * The environment of a run against services of its own. Nothing of a developer's own set-up leaks
 * in, so a test can never touch the database of a running demo.
 */
export function testEnv({ postgres, redis }, { runId, dataDir }) {
  const env = { ...process.env };
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL', 'PORT', 'BASE_URL']) {
    delete env[name];
  }
  return {
    ...env,
    DATA_DIR: dataDir,
    TEST_DATABASE_URL: postgres.url,
    TEST_REDIS_URL: redis.url,
    // Databases of this run are called dm_test_<run id>...; on a shared server that is how they go.
    TEST_RUN_ID: runId,
  };
}

/** Drops every database whose name begins so; for a server that is not ours to throw away. */
export async function dropDatabases(url, prefix) {
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
