import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startWorkers } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOwnerOf, newNames, type Owner } from '../../support/bulk.ts';
import { eventually } from '../../support/eventually.ts';
import { accessTokenFor } from '../../support/oauth.ts';

const SIGNER = { key_tag: 12_345, algorithm: 13, digest_type: 2, digest: 'ab'.repeat(32) };

describe('bulk operations', () => {
  let app: TestApp;
  let owner: Owner;
  let token: string;
  beforeAll(async () => {
    app = await startTestApp({ bulkChunkSize: 10 });
    owner = await givenOwnerOf(app.runtime, 30);
    token = await tokenOf(owner);
  });
  afterAll(() => app.stop());

  const tokenOf = ({ userId }: Owner) =>
    accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
  const post = (op: string, body: unknown, more: { idempotencyKey?: string } = {}) =>
    app.public.post(`/domains/bulk/${op}`, { token, body, ...more });
  const lock = (domains: readonly string[], more: object = {}) => ({
    domains,
    params: { enabled: true },
    ...more,
  });
  const jobPath = ({ body }: { body: { id: string } }) => `/domains/bulk/jobs/${body.id}`;
  const jobsOf = async ({ userId }: Owner) =>
    app.runtime.db.knex('bulk_jobs').where({ user_id: userId }).pluck('id');

  describe('POST /domains/bulk/{op}', () => {
    it('records a job and returns 202 with its status URL', async () => {
      const [first = '', second = ''] = owner.domains;
      const domains = [first, second, `${first.toUpperCase()}.`, 'not a domain'];
      const { body } = await post('lock', lock(domains)).expect(202);
      expect(body).toEqual({
        id: expect.stringMatching(/^blk_[0-9a-z]{26}$/),
        op: 'lock',
        status: 'queued',
        total: 3,
        dry_run: false,
        status_url: `${app.runtime.config.baseUrl}/api/domains/bulk/jobs/${body.id}`,
      });
    });

    it('accepts up to 1,000 domains of maximum length', async () => {
      const long = Array.from({ length: 1_000 }, (_, at) => `${'n'.repeat(59)}${at}`.slice(-63));
      const domains = long.map((label) => `${label}.${'m'.repeat(60)}.${'l'.repeat(60)}.com`);
      expect((await post('unlist', { domains }).expect(202)).body.total).toBe(1_000);
      const more = await post('unlist', { domains: newNames(1_001) });
      expect([more.status, more.body.error.code]).toEqual([400, 'validation_error']);
      const huge = await post('unlist', { domains: ['a'.repeat(256_001)] });
      expect([huge.status, huge.body.error.code]).toEqual([413, 'payload_too_large']);
    });

    it('stores no unknown parameters', async () => {
      const params = { enabled: true, junk: 'x'.repeat(1_000) };
      const { body } = await post('lock', { domains: owner.domains, params }).expect(202);
      const [job] = await app.runtime.db.knex('bulk_jobs').where({ id: body.id });
      expect(job.params).toEqual({ enabled: true });
    });

    it('returns 404 for unknown operations', async () => {
      for (const op of ['sell', 'constructor', 'LOCK', 'jobs']) {
        const answer = await post(op, lock(owner.domains));
        expect([op, answer.status, answer.body.error.code]).toEqual([op, 404, 'not_found']);
      }
    });

    it.each<[string, unknown, string]>([
      ['lock', { domains: [], params: { enabled: true } }, '/domains'],
      ['lock', { params: { enabled: true } }, '/domains'],
      ['lock', { domains: ['a.com', 7], params: { enabled: true } }, '/domains/1'],
      ['lock', { domains: ['a.com'] }, '/params/enabled'],
      ['lock', { domains: ['a.com'], params: { enabled: 'yes' } }, '/params/enabled'],
      ['lock', { domains: ['a.com'], params: [] }, '/params'],
      ['renew', { domains: ['a.com'], params: { years: 0 } }, '/params/years'],
      ['renew', { domains: ['a.com'], params: { years: 11 } }, '/params/years'],
      ['list', { domains: ['a.com'], params: { price_cents: 1.5 } }, '/params/price_cents'],
      [
        'list',
        { domains: ['a.com'], params: { price_cents: 5, floor_price_cents: 6 } },
        '/params/floor_price_cents',
      ],
      ['price', { domains: ['a.com'], params: {} }, '/params/price_cents'],
      ...['list', 'price'].flatMap((op) =>
        ['usd', 'ZZZ'].map((currency): [string, object, string] => [
          op,
          { domains: ['a.com'], params: { price_cents: 5, currency } },
          '/params/currency',
        ]),
      ),
      ['tags', { domains: ['a.com'], params: {} }, '/params'],
      ['tags', { domains: ['a.com'], params: { add: [' '] } }, '/params'],
      [
        'nameservers',
        { domains: ['a.com'], params: { nameservers: ['ns1.example.net'] } },
        '/params/nameservers',
      ],
      [
        'nameservers',
        { domains: ['a.com'], params: { nameservers: ['ns1.example.net', '192.0.2.1'] } },
        '/params/nameservers/1',
      ],
      ...Object.entries({
        algorithm: { algorithm: 5 },
        digest_type: { digest_type: 1, digest: 'ab'.repeat(20) },
        digest: { digest: 'ab'.repeat(20) },
      }).map(([part, wrong]): [string, object, string] => [
        'dnssec',
        { domains: ['a.com'], params: { signers: [{ ...SIGNER, ...wrong }] } },
        `/params/signers/0/${part}`,
      ]),
      [
        'dnssec',
        {
          domains: ['a.com'],
          params: { signers: [SIGNER, { ...SIGNER, digest: 'AB'.repeat(32) }] },
        },
        '/params/signers',
      ],
      [
        'nameservers',
        { domains: ['a.com'], params: { nameservers: ['NS1.example.net', 'ns1.example.net.'] } },
        '/params/nameservers',
      ],
      ['lock', { domains: ['a.com'], params: { enabled: true }, dry_run: 1 }, '/dry_run'],
    ])('%s rejects %j at %s', async (op, body, path) => {
      const answer = await post(op, body);
      expect(answer.body.error).toMatchObject({ code: 'validation_error' });
      expect(answer.body.error.details[0].path).toBe(path);
    });

    it('replays the response for the same idempotency key and body, and rejects another body', async () => {
      const other = await givenOwnerOf(app.runtime, 2);
      const key = { idempotencyKey: randomUUID(), token: await tokenOf(other) };
      const send = (body: unknown) => app.public.post('/domains/bulk/lock', { ...key, body });
      const answers = await Promise.all([1, 2, 3].map(() => send(lock(other.domains))));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers.map(({ headers }) => headers.get('Idempotent-Replayed')).sort()).toEqual(
        [null, 'true', 'true'].sort(),
      );
      expect(await jobsOf(other)).toHaveLength(1);
      const another = await send(lock(other.domains, { dry_run: true }));
      expect(another.body.error).toMatchObject({
        code: 'conflict',
        details: { reason: 'key_reused' },
      });
      // Keys are per owner: for somebody else it is a new key.
      const stranger = await post('lock', lock(other.domains), {
        idempotencyKey: key.idempotencyKey,
      }).expect(202);
      expect(stranger.headers.get('Idempotent-Replayed')).toBeNull();
      const empty = await app.public.post('/domains/bulk/lock', {
        token,
        body: lock(owner.domains),
        headers: { 'Idempotency-Key': 'k'.repeat(256) },
      });
      expect(empty.body.error.code).toBe('validation_error');
    });

    it('requires sign-in and the domains:manage scope', async () => {
      const anonymous = await app.public.post('/domains/bulk/lock', { body: lock(['a.com']) });
      expect([anonymous.status, anonymous.body.error.code]).toEqual([401, 'invalid_token']);
      const weak = await accessTokenFor(app.runtime, { userId: owner.userId });
      const answer = await app.public.post('/domains/bulk/lock', {
        token: weak,
        body: lock(['a.com']),
      });
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden']);
    });
  });

  describe('GET /domains/bulk/jobs/{id}', () => {
    it('reports progress, and pages through the results in the order of the request', async () => {
      const [mine] = owner.domains;
      const domains = [...owner.domains, 'nobody-has-this.com', '--'];
      const accepted = await post('auto_renew', { domains, params: { enabled: true } });
      const before = await app.public.get(jobPath(accepted), { token }).expect(200);
      expect(before.body).toMatchObject({ status: 'queued', progress: 0, finished_at: null });
      expect(before.body.results[0]).toEqual({
        domain: mine,
        status: 'pending',
        code: null,
        message: null,
      });

      const fleet = startWorkers(app.runtime, { queues: ['bulk-domains'] });
      try {
        const done = await eventually(
          () => app.public.get(jobPath(accepted), { token, query: { limit: 20 } }).expect(200),
          ({ body }) => body.finished_at !== null,
        );
        expect(done.body).toMatchObject({
          op: 'auto_renew',
          status: 'completed_with_errors',
          total: 32,
          succeeded: 30,
          failed: 2,
          progress: 1,
        });
        const { next_cursor: cursor, results } = done.body;
        const rest = await app.public.get(jobPath(accepted), { token, query: { cursor } });
        const all = [...results, ...rest.body.results];
        expect(rest.body.next_cursor).toBeNull();
        expect(all.map(({ domain }: { domain: string }) => domain)).toEqual(domains);
        expect(all[0]).toEqual({ domain: mine, status: 'ok', code: null, message: null });
        const errors = await app.public.get(jobPath(accepted), {
          token,
          query: { result: 'error' },
        });
        expect(errors.body.results).toMatchObject([
          { domain: 'nobody-has-this.com', status: 'error', code: 'forbidden' },
          { domain: '--', status: 'error', code: 'validation_error' },
        ]);
        const foreign = await app.public.get(jobPath(accepted), {
          token,
          query: { cursor, result: 'error' },
        });
        expect(foreign.body.error.code).toBe('invalid_cursor');
      } finally {
        await fleet.stop();
      }
    });
  });

  describe('POST /domains/bulk/jobs/{id}/cancel', () => {
    it('cancels a queued job, and is safe to repeat', async () => {
      const accepted = await post('unlist', { domains: owner.domains });
      const path = `/domains/bulk/jobs/${accepted.body.id}/cancel`;
      const idempotencyKey = randomUUID();
      const cancelled = await app.public.post(path, { token, idempotencyKey }).expect(200);
      expect(cancelled.body).toMatchObject({ status: 'cancelled', succeeded: 0, failed: 0 });
      const replayed = await app.public.post(path, { token, idempotencyKey }).expect(200);
      expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
      expect(replayed.text).toBe(cancelled.text);
      await app.public.post(path, { token }).expect(200);
      const { body } = await app.public.get(jobPath(accepted), { token }).expect(200);
      expect(body.results[0]).toMatchObject({ status: 'pending', code: null });
    });

    it('rejects a job that has finished', async () => {
      const accepted = await post('tags', { domains: owner.domains, params: { add: ['x'] } });
      const fleet = startWorkers(app.runtime, { queues: ['bulk-domains'] });
      try {
        await eventually(
          () => app.public.get(jobPath(accepted), { token }),
          ({ body }) => body.status === 'completed',
        );
      } finally {
        await fleet.stop();
      }
      const answer = await app.public.post(`${jobPath(accepted)}/cancel`, { token });
      expect(answer.body.error).toMatchObject({
        code: 'conflict',
        details: { reason: 'invalid_state' },
      });
    });
  });

  it('return 404 for jobs of other users', async () => {
    const accepted = await post('lock', lock(owner.domains));
    const stranger = await tokenOf(await givenOwnerOf(app.runtime, 0));
    const path = jobPath(accepted);
    for (const call of [
      app.public.get(path, { token: stranger }),
      app.public.get(`${path}/stream`, { token: stranger }),
      app.public.post(`${path}/cancel`, { token: stranger }),
      app.public.get('/domains/bulk/jobs/blk_00000000000000000000000000', { token }),
    ]) {
      expect(await call).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
    expect((await app.public.get(path, { token })).body.status).toBe('queued');
  });

  it('are limited to ten a minute per user, and canceling does not count', async () => {
    const limited = await startTestApp({ RATE_LIMITS: 'on' });
    try {
      const user = await givenOwnerOf(limited.runtime, 1);
      const own = await accessTokenFor(limited.runtime, {
        userId: user.userId,
        scopes: ['domains:manage'],
      });
      const send = () =>
        limited.public.post('/domains/bulk/lock', { token: own, body: lock(user.domains) });
      const accepted = await send();
      expect(accepted.headers.get('RateLimit-Policy')).toBe('10;w=60');
      for (let sent = 1; sent < 10; sent += 1) expect((await send()).status).toBe(202);
      expect((await send()).status).toBe(429);
      await limited.public.post(`${jobPath(accepted)}/cancel`, { token: own }).expect(200);
    } finally {
      await limited.stop();
    }
  });
});
