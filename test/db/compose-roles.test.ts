import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { BASELINE, migrate } from '../../db/migrate.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { readProjectFile } from '../support/sources.ts';

let postgres: OwnPostgres;
let url: string;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  const admin = new pg.Client(postgres.url);
  await admin.connect();
  await admin.query('create database marketplace');
  await admin.end();
  const there = new URL(postgres.url);
  there.pathname = '/marketplace';
  const client = new pg.Client(there.href);
  await client.connect();
  // Substitutes variables like psql, which the embedded Postgres does not include.
  const script = readProjectFile('deploy/compose/roles.sql')
    .replace(/^\\getenv .*$/m, '')
    .replace(":'password'", "'for-tests'");
  await client.query(script);
  await client.end();
  [there.username, there.password] = ['marketplace', 'for-tests'];
  url = there.href;
});
afterAll(() => postgres?.remove());

it('docker-compose uses a database role that owns the tables but is no superuser', async () => {
  const { applied } = await migrate(url);
  expect(applied).toContain(BASELINE);
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query(
      `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
         (select count(*)::int from pg_tables
           where schemaname = 'public' and tableowner <> current_user) as foreign_tables
       from pg_roles where rolname = current_user`,
    );
    expect(rows[0]).toMatchObject({
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      foreign_tables: 0,
    });
    for (const refused of [
      "copy (select 1) to program 'true'",
      "select pg_read_file('/etc/hostname')",
      'alter role marketplace superuser',
      "alter system set log_statement = 'all'",
    ]) {
      await expect(client.query(refused)).rejects.toMatchObject({ code: '42501' });
    }
  } finally {
    await client.end();
  }
});
