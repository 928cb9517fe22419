import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { dumpSchema, SCHEMA_FILE } from '../../db/dump-schema.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';

const databases: TestDatabase[] = [];

afterAll(async () => {
  for (const database of databases) await database.drop();
});

describe('db/schema.sql', () => {
  it('is what the migrations make; `npm run schema` writes it anew', async () => {
    const migrated = await createTestDatabase();
    databases.push(migrated);
    expect(await dumpSchema(migrated.url)).toBe(readFileSync(SCHEMA_FILE, 'utf8'));
  });

  it('makes the same schema in an empty database', async () => {
    const empty = await createEmptyDatabase();
    databases.push(empty);
    const client = new pg.Client(empty.url);
    await client.connect();
    await client.query(readFileSync(SCHEMA_FILE, 'utf8'));
    await client.end();
    expect(await dumpSchema(empty.url)).toBe(readFileSync(SCHEMA_FILE, 'utf8'));
  });
});
