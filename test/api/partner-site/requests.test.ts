import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dropExpiredPartitions } from '../../../shared/operations/partitions/partitioned-tables.ts';
import { createRequestLog, REQUEST_LOG } from '../../../shared/people/partners/request-log.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { addPartitions } from '../../../shared/platform/database/partitioned-log.ts';
import { randomBase62 } from '../../../shared/platform/ids.ts';
import { LOOK_THROUGH } from '../../../shared/platform/page.ts';
import type { TestApp } from '../../support/app.ts';
import { readable } from '../../support/console.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { givenMember } from '../../support/partner-site.ts';
import { type Forgery, sendByHand } from '../../support/send-by-hand.ts';
import { startSignInApp, type Visitor } from '../../support/sign-in.ts';

let app: TestApp;
let partner: PartnerFixture;
let viewer: Visitor;

beforeAll(async () => {
  app = await startSignInApp();
  partner = await givenPartner(app.runtime);
  viewer = (await givenMember(app, 'viewer', partner.partnerId)).browser;
});
afterAll(() => app?.stop());

const log = () => `/partner/${partner.partnerId}/sandbox/requests`;
const rowsOf = (partnerId: string) =>
  app.runtime.db.knex('api_requests').where({ partner_id: partnerId }).orderBy('id');
/** Sends a signed request and waits until it is in the log. */
async function send(forgery: Forgery = {}) {
  const requestId = `req_${randomBase62(8)}`;
  const headers = { 'X-Request-Id': requestId, ...forgery.headers };
  const answer = await sendByHand(app.url, partner, { ...forgery, headers });
  const isWritten = async () => {
    await app.runtime.requestLog.flush();
    return (await rowsOf(partner.partnerId).where({ request_id: headers['X-Request-Id'] })).length;
  };
  await eventually(isWritten, (rows) => rows === 1);
  return answer;
}
const list = (query = '') => viewer.open(log() + query);
const entry = (about: object) => ({
  keyId: partner.keyId,
  requestId: 'req_entry',
  method: 'GET',
  path: '/api/partner/v1/orders',
  status: 200,
  errorCode: null,
  elapsedMs: 5,
  canonicalString: null,
  createdAt: app.runtime.clock.now(),
  verified: true,
  ...about,
});

describe('the partner’s request log', () => {
  it('lists requests with status, error, request id and key, and filters by each', async () => {
    await send({ headers: { 'X-Request-Id': 'mine-1' } });
    await send({ query: 'domain=not%20a%20domain', headers: { 'X-Request-Id': 'mine-2' } });
    const all = readable((await list()).text);
    expect(all).toMatch(/GET \/api\/partner\/v1\/availability 400 validation_error .* mine-2/);
    expect(all).toMatch(/GET \/api\/partner\/v1\/availability 200 .* mine-1/);
    const refused = readable((await list('?status=4xx')).text);
    expect([refused.includes('mine-2'), refused.includes('mine-1')]).toEqual([true, false]);
    const one = readable((await list('?request_id=mine-1')).text);
    expect([one.includes('mine-2'), one.includes('mine-1')]).toEqual([false, true]);
    expect((await list(`?key=${partner.keyId}&path=availab`)).text).toContain('mine-1');
    expect((await list('?path=%25')).text).toContain('No requests match.');
    expect((await list('?from=2020-01-01&to=2020-01-02')).text).toContain('No requests match.');
    const file = (await list('?format=csv')).text.trim().split('\r\n');
    expect(file[0]).toBe(
      'id,created_at,method,path,status,error_code,elapsed_ms,request_id,key_id',
    );
    expect(file).toHaveLength(3);
  });

  it('shows the expected canonical string, but no signature, body or secret', async () => {
    const body = JSON.stringify({ secret_word: 'hush-hush' });
    const refused = await send({
      method: 'POST',
      path: '/api/partner/v1/quotes',
      query: 'b=2&a=1',
      body,
      secret: 'sk_sandbox_wrong',
      headers: { 'X-Request-Id': 'mine-3' },
    });
    expect(refused.code).toBe('invalid_signature');
    const found = await list('?request_id=mine-3');
    const [, path = ''] = /href="([^"]+\/requests\/rlg_[^"]+)"/.exec(found.text) ?? [];
    const page = await viewer.open(path);
    const expected = refused.body.error.details.canonical_string;
    expect(page.text).toContain(
      `<pre tabindex="0" aria-label="Canonical string">${expected.replaceAll('&', '&amp;')}</pre>`,
    );
    const [row] = await rowsOf(partner.partnerId).where({ request_id: 'mine-3' });
    expect(JSON.stringify(row)).not.toMatch(/hush-hush|v1=|sk_sandbox_wrong/);
  });

  it('redacts secrets in paths', async () => {
    // Secrets use the base64url alphabet.
    const secret = 'sk_sandbox_ab-cd_EF-0123456789-tail_9';
    const requestLog = createRequestLog(app.runtime);
    const addresses = { path: `/api/partner/v1/orders/${secret}`, canonicalString: `a\n${secret}` };
    requestLog.note(entry({ ...addresses, status: 401, verified: false }));
    await requestLog.close();
    const [row] = await rowsOf(partner.partnerId).where({ request_id: 'req_entry' });
    expect([row.path, row.canonical_string]).toEqual([
      '/api/partner/v1/orders/sk_[redacted]',
      'a\nsk_[redacted]',
    ]);
  });

  it('contains only requests with the partner’s own keys', async () => {
    const other = await givenPartner(app.runtime);
    const unknown = `pk_sandbox_${'0'.repeat(other.keyId.length - 'pk_sandbox_'.length)}`;
    const requestLog = createRequestLog(app.runtime);
    for (const keyId of [unknown, 'no key id', other.keyId]) requestLog.note(entry({ keyId }));
    await requestLog.close();
    const [row, ...more] = await rowsOf(other.partnerId);
    expect([row.key_id, more]).toEqual([other.keyId, []]);
    expect(await app.runtime.db.knex('api_requests').where({ key_id: unknown })).toEqual([]);
    expect((await viewer.open(`${log()}/${row.id}`)).status).toBe(404);
    expect((await list(`?key=${other.keyId}`)).text).toContain('No requests match.');
  });

  it('searches a limited number of requests at a time for rare matches', async () => {
    const { runtime } = app;
    const busy = await givenPartner(runtime);
    const busyViewer = (await givenMember(app, 'viewer', busy.partnerId)).browser;
    const requestLog = createRequestLog(runtime);
    const start = addMs(runtime.clock.now(), -LOOK_THROUGH);
    for (let n = 0; n <= LOOK_THROUGH; n += 1) {
      const path = n === 0 ? '/api/partner/v1/needle' : '/api/partner/v1/hay';
      requestLog.note(entry({ keyId: busy.keyId, path, createdAt: addMs(start, n) }));
      if (n % 4_000 === 0) await requestLog.flush();
    }
    await requestLog.close();
    const path = `/partner/${busy.partnerId}/sandbox/requests?path=needle`;
    const first = await busyViewer.open(path);
    expect(readable(first.text)).toContain('No match among 20,000 requests.');
    const [, next = ''] = /href="([^"]*)" rel="next"/.exec(first.text) ?? [];
    const second = await busyViewer.open(next.replaceAll('&amp;', '&'));
    expect(second.text).toContain('/api/partner/v1/needle');
    expect(second.text).not.toContain('rel="next"');
    const file = (await busyViewer.open(`${path}&format=csv`)).text.trim().split('\r\n');
    expect(file).toHaveLength(2);
  });

  it('runs no SQL for a single request, and writes many in one statement', async () => {
    const { runtime } = app;
    const requestLog = createRequestLog(runtime);
    const sent: string[] = [];
    const note = ({ sql }: { sql: string }) => sent.push(sql);
    runtime.db.knex.on('query', note);
    for (let n = 0; n < 30; n += 1) requestLog.note(entry({}));
    expect(sent).toEqual([]);
    await requestLog.flush();
    runtime.db.knex.removeListener('query', note);
    expect(sent).toEqual([expect.stringContaining('insert into api_requests')]);
  });

  it('limits entries for rejected requests, and counts those it drops', async () => {
    const { runtime } = app;
    const flooded = await givenPartner(runtime);
    const before = await dropped('no_room');
    const requestLog = createRequestLog(runtime);
    for (let n = 0; n < 60; n += 1) {
      requestLog.note(entry({ keyId: flooded.keyId, verified: false, status: 401 }));
      requestLog.note(entry({ keyId: flooded.keyId, status: 429 }));
    }
    for (let n = 0; n < 30; n += 1) requestLog.note(entry({ keyId: flooded.keyId }));
    await requestLog.close();
    const rows = await rowsOf(flooded.partnerId);
    expect(rows.filter(({ status }) => status === 200)).toHaveLength(30);
    expect(rows).toHaveLength(50);
    expect((await dropped('no_room')) - before).toBe(100);
  });

  it('writes thousands in batches up to a limit, and survives database errors', async () => {
    const { runtime } = app;
    const busy = await givenPartner(runtime);
    const requestLog = createRequestLog(runtime);
    const before = await dropped('no_room');
    for (let n = 0; n < 5_003; n += 1) requestLog.note(entry({ keyId: busy.keyId }));
    await requestLog.close();
    expect(await rowsOf(busy.partnerId)).toHaveLength(5_000);
    expect((await dropped('no_room')) - before).toBe(3);

    const away = createRequestLog({
      ...runtime,
      db: {
        ...runtime.db,
        knex: Object.assign(() => {}, {
          raw: () => {
            throw new Error('away');
          },
        }) as never,
      },
    });
    const lost = await dropped('not_written');
    away.note(entry({ keyId: busy.keyId }));
    await away.close();
    expect((await dropped('not_written')) - lost).toBe(1);
  });

  it('expires by day, for all partners at once', async () => {
    const { runtime } = app;
    const old = await givenPartner(runtime);
    const start = runtime.clock.now();
    const later = (days: number) => addMs(start, days * DAY);
    const fleetAt = (now: Date) => ({ ...runtime, clock: { now: () => now } });
    await addPartitions(runtime.db.knex, REQUEST_LOG, start);
    const requestLog = createRequestLog(runtime);
    for (const days of [0, 1, 3]) {
      requestLog.note(entry({ keyId: old.keyId, createdAt: later(days) }));
    }
    // The partition for this one does not exist yet.
    requestLog.note(entry({ keyId: old.keyId, createdAt: later(30) }));
    await requestLog.close();
    await dropExpiredPartitions(fleetAt(later(7)));
    expect(await rowsOf(old.partnerId)).toHaveLength(4);
    await dropExpiredPartitions(fleetAt(later(9)));
    expect((await rowsOf(old.partnerId)).map((row) => row.created_at)).toEqual([
      later(3),
      later(30),
    ]);
    await addPartitions(runtime.db.knex, REQUEST_LOG, later(30));
    expect(await rowsOf(old.partnerId)).toHaveLength(2);
    await dropExpiredPartitions(fleetAt(later(39)));
    expect(await rowsOf(old.partnerId)).toEqual([]);
  });
});

async function dropped(reason: string): Promise<number> {
  const { values } = await app.runtime.metrics.requestLogDropped.get();
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
}
