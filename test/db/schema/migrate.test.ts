import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { dumpSchema } from '../../../db/dump-schema.ts';
import { BASELINE, migrate, SCHEMA_FILE } from '../../../db/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database.ts';

const folder = fileURLToPath(new URL('./later-migrations/', import.meta.url));
const LATER = '20991231000500_create_notes';
const LAST_BEFORE = '20261127033500_deliver_by_queue';

let database: TestDatabase;
let client: pg.Client;

beforeEach(async () => {
  database = await createEmptyDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

async function names(): Promise<string[]> {
  const { rows } = await client.query('select name from knex_migrations order by name');
  return rows.map(({ name }) => name);
}

const expectSchemaOfFile = async () =>
  expect(await dumpSchema(database.url)).toBe(await readFile(SCHEMA_FILE, 'utf8'));

describe('migrating an empty database', () => {
  it('applies the schema file and records it as one migration', async () => {
    expect((await migrate(database.url)).applied).toEqual([BASELINE]);
    await expectSchemaOfFile();
    expect((await names())[0]).toBe(BASELINE);
    expect((await migrate(database.url)).applied).toEqual([]);
  });

  it('happens once when several processes start together', async () => {
    const all = await Promise.all([1, 2, 3].map(() => migrate(database.url)));
    expect(all.flatMap(({ applied }) => applied)).toEqual([BASELINE]);
    await expectSchemaOfFile();
  });

  it('leaves nothing behind when the schema file fails, and succeeds on the next try', async () => {
    const schemaFile = await schemaFileWith('create table half_way (id bigint); select 1 / 0;');
    await expect(migrate(database.url, { schemaFile })).rejects.toThrow('division by zero');
    const { rows } = await client.query(`select to_regclass('half_way') as found`);
    expect(rows).toEqual([{ found: null }]);
    expect((await migrate(database.url)).applied).toEqual([BASELINE]);
  });

  it('applies migrations that the schema file does not contain', async () => {
    expect((await migrate(database.url, { folder })).applied).toEqual([BASELINE, LATER]);
    await client.query('select id from notes');
  });

  it('skips migrations that the schema file already contains', async () => {
    await migrate(database.url, { folder });
    const dump = await dumpSchema(database.url);
    const other = await createEmptyDatabase();
    try {
      const schemaFile = await schemaFileWith(dump);
      expect((await migrate(other.url, { folder, schemaFile })).applied).toEqual([BASELINE]);
      expect(await dumpSchema(other.url)).toBe(dump);
    } finally {
      await other.drop();
    }
  });
});

describe('migrating a database from before the schema file', () => {
  const givenHistory = async (...applied: string[]) => {
    await migrate(database.url);
    await client.query('delete from knex_migrations');
    for (const name of applied) {
      await client.query('insert into knex_migrations (name, batch) values ($1, 1)', [name]);
    }
  };

  it('keeps it as is if it has all of those migrations, and applies later ones', async () => {
    await givenHistory('20261121000100_create_partners', LAST_BEFORE);
    await client.query(`insert into market_tallies (tld, category, listings) values ('io', '', 7)`);
    expect((await migrate(database.url, { folder })).applied).toEqual([BASELINE, LATER]);
    expect(await names()).toEqual(['20261121000100_create_partners', LAST_BEFORE, BASELINE, LATER]);
    const { rows } = await client.query('select listings::int from market_tallies');
    expect(rows).toEqual([{ listings: 7 }]);
  });

  it('refuses it if some are missing and explains how to upgrade', async () => {
    const first = '20261121000100_create_partners';
    const second = '20261121000200_create_listings';
    await givenHistory(first, second);
    const refused = migrate(database.url, { folder });
    await expect(refused).rejects.toThrow(`it has the migrations up to ${second}`);
    await expect(refused).rejects.toThrow(`--diff-filter=D -- db/migrations/${LAST_BEFORE}.ts)~1`);
    expect(await names()).toEqual([first, second]);
    const { rows } = await client.query(`select to_regclass('notes') as found`);
    expect(rows).toEqual([{ found: null }]);
  });

  it('prints that explanation alone, without a stack', async () => {
    await givenHistory('20261121000100_create_partners');
    const env = { ...process.env, DATABASE_URL: database.url, REDIS_URL: 'redis://127.0.0.1:1' };
    const args = ['--import', 'tsx', 'db/migrate.ts'];
    const ended = promisify(execFile)(process.execPath, args, { env });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^The database is from an older release: [\s\S]*DATA_DIR\)\.\n$/,
      ),
    });
  });
});

async function schemaFileWith(text: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'dm-schema-'));
  homes.push(home);
  const file = join(home, 'schema.sql');
  await writeFile(file, text);
  return file;
}
const homes: string[] = [];
afterEach(async () => {
  for (const home of homes.splice(0)) await rm(home, { recursive: true, force: true });
});
