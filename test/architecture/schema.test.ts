import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import knexModule, { type Knex } from 'knex';
import { dumpSchema } from '../../db/dump-schema.ts';
import { migrate, SCHEMA_FILE } from '../../db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const MIGRATIONS = fileURLToPath(new URL('../../db/migrations/', import.meta.url));

interface Migration {
  down(knex: Knex): Promise<void>;
  config?: { transaction?: boolean };
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const expectSchemaOfFile = async () =>
  expect(await dumpSchema(database.url)).toBe(readFileSync(SCHEMA_FILE, 'utf8'));

describe('db/schema.sql', () => {
  it('matches the schema that it creates with all migrations (run `npm run schema`)', async () => {
    await expectSchemaOfFile();
  });

  it('is what the migrations make of the previous schema', async () => {
    const files = existsSync(MIGRATIONS) ? readdirSync(MIGRATIONS).sort().reverse() : [];
    const knex = knexModule({ client: 'pg', connection: database.url, pool: { min: 1, max: 1 } });
    for (const file of files) {
      const migration: Migration = await import(pathToFileURL(MIGRATIONS + file).href);
      if (migration.config?.transaction === false) await migration.down(knex);
      else await knex.transaction((tx) => migration.down(tx));
      await knex('knex_migrations')
        .where({ name: file.replace(/\.ts$/, '') })
        .delete();
    }
    await knex.destroy();
    expect((await migrate(database.url)).applied).toHaveLength(files.length);
    await expectSchemaOfFile();
  });

  it('lists functions per environment when they differ', async () => {
    const knex = knexModule({ client: 'pg', connection: database.url, pool: { min: 1, max: 1 } });
    const names = async () =>
      (await dumpSchema(database.url)).match(/(?<=FUNCTION public\.)search_candidates_\w+/g);
    expect(await names()).toEqual(['search_candidates_live']);
    const [{ of }] = (
      await knex.raw(`select 'search_candidates_sandbox'::regproc::regprocedure as of`)
    ).rows;
    await knex.raw(`alter function ${of} rows 81`);
    await knex.destroy();
    expect(await names()).toEqual(['search_candidates_live', 'search_candidates_sandbox']);
  });
});
