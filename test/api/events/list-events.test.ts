import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { recordedOrder } from '../../support/events.ts';

describe('GET /v1/events', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());

  const record = (
    stream: { partnerId: string; environment: 'SANDBOX' | 'LIVE' },
    subjects: string[],
  ) =>
    app.runtime.db.transact(async (uow) => uow.events.add(stream, ...subjects.map(recordedOrder)));

  it('pages through events oldest first, until the cursor is null', async () => {
    const partner = await app.partner();
    await record(partner, ['a', 'b', 'c']);
    const first = await partner.client.get('/v1/events', { query: { limit: 2 } }).expect(200);
    expect(
      first.body.events.map(
        (event: { data: { order: { public_id: string } } }) => event.data.order.public_id,
      ),
    ).toEqual(['a', 'b']);
    expect(Object.keys(first.body.events[0])).toEqual(['id', 'type', 'created_at', 'data']);
    const second = await partner.client
      .get('/v1/events', { query: { limit: 2, after_id: first.body.next_cursor } })
      .expect(200);
    expect(second.body.events).toHaveLength(1);
    expect(second.body.next_cursor).toBeNull();
  });

  it('rejects an after_id of another partner as an invalid cursor', async () => {
    const [mine, other] = [await app.partner(), await app.partner()];
    await record(other, ['x']);
    const theirs = (await other.client.get('/v1/events').expect(200)).body.events[0].id;
    const answer = await mine.client.get('/v1/events', { query: { after_id: theirs } }).expect(400);
    expect(answer.body.error.code).toBe('invalid_cursor');
  });

  it.each([
    'x',
    'x'.repeat(5_000),
    // The smallest and the largest possible id.
    `evt_${'0'.repeat(26)}`,
    `evt_7${'z'.repeat(25)}`,
  ])('rejects an unknown after_id: %.30s', async (id) => {
    const { client } = await app.partner();
    const answer = await client.get('/v1/events', { query: { after_id: id } }).expect(400);
    expect(answer.body.error.code).toBe('invalid_cursor');
  });
});
