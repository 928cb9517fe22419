import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deleteExpired } from '../../../shared/operations/retention/delete-expired.ts';
import {
  browserSessionRecords,
  clientRecords,
  grantRecords,
  tokenRecords,
} from '../../../shared/people/oauth/oauth-records.ts';
import { DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { givenOwner } from '../../support/oauth.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const HOUR_SECONDS = 3_600;
const MONTH_SECONDS = 30 * 24 * HOUR_SECONDS;

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const left = async (table: string) => {
  const rows = await runtime.db.knex(table).select('*');
  return rows.length;
};
const counts = async () => ({
  browsers: await left('oauth_browsers'),
  tokens: await left('oauth_tokens'),
  grants: await left('oauth_grants'),
  clients: await left('oauth_clients'),
});

it('deletes expired OAuth records and keeps all others', async () => {
  const { id: userId } = await givenOwner(runtime);
  for (const clientId of ['used', 'revoked', 'unused'])
    await clientRecords(runtime).save(clientId, {});
  const grants = grantRecords(runtime);
  await grants.save('living', { accountId: userId, clientId: 'used' });
  await grants.save('ended', { accountId: userId, clientId: 'revoked' });
  const tokens = (kind: 'AccessToken' | 'RefreshToken') => tokenRecords(runtime, kind);
  await tokens('AccessToken').save('a', { grantId: 'living' }, HOUR_SECONDS);
  await tokens('RefreshToken').save('b', { grantId: 'living' }, MONTH_SECONDS);
  await tokens('RefreshToken').save('c', { grantId: 'ended' }, MONTH_SECONDS);
  await grants.revoke('ended');
  await browserSessionRecords(runtime, 'Session').save('s', { uid: 'u' }, 12 * HOUR_SECONDS);
  await browserSessionRecords(runtime, 'Interaction').save('i', {}, HOUR_SECONDS);

  await deleteExpired(runtime);
  expect(await counts()).toEqual({ browsers: 2, tokens: 3, grants: 2, clients: 3 });

  runtime.clock.advance(2 * HOUR);
  expect(await deleteExpired(runtime)).toEqual({ oauth_browsers: 1, oauth_tokens: 1 });
  expect(await counts()).toEqual({ browsers: 1, tokens: 2, grants: 2, clients: 3 });

  // Revoked grants go a day later, with their tokens.
  runtime.clock.advance(DAY);
  await deleteExpired(runtime);
  expect(await counts()).toEqual({ browsers: 0, tokens: 1, grants: 1, clients: 3 });

  // A grant ends with its last refresh token; clients that were used are kept longer.
  runtime.clock.advance(30 * DAY);
  await deleteExpired(runtime);
  expect(await counts()).toEqual({ browsers: 0, tokens: 0, grants: 0, clients: 2 });
  runtime.clock.advance(60 * DAY);
  await deleteExpired(runtime);
  expect(await left('oauth_clients')).toBe(0);
});

it('deletes OAuth clients never used after two days, and unused ones after 90', async () => {
  const { id: userId } = await givenOwner(runtime);
  const clients = clientRecords(runtime);
  for (const id of ['spam', 'once']) await clients.save(id, { client_name: id });
  runtime.clock.advance(DAY);
  const grants = grantRecords(runtime);
  await grants.save('first', { accountId: userId, clientId: 'once' });
  await grants.revoke('first');
  const prunedAfter = async (ms: number) => {
    runtime.clock.advance(ms);
    await deleteExpired(runtime);
    return (await runtime.db.knex('oauth_clients').orderBy('id').pluck('id')).join();
  };
  expect(await prunedAfter(DAY - MINUTE)).toBe('once,spam');
  expect(await prunedAfter(2 * MINUTE)).toBe('once');
  expect(await prunedAfter(88 * DAY - 2 * MINUTE)).toBe('once');
  expect(await prunedAfter(2 * MINUTE)).toBe('');
});
