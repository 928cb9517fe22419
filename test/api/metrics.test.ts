import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QUEUE_NAMES } from '../../shared/messaging/jobs/job-queues.ts';
import { createFleetMetrics } from '../../shared/operations/monitoring/fleet-metrics.ts';
import { startMetricsServer } from '../../shared/platform/observability/metrics.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { givenListing } from '../support/factories.ts';
import { metricsIn, type Sample, sumOf } from '../support/metrics.ts';
import { orderBody } from '../support/sales.ts';
import { freePort } from '../support/service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Makes one sale, from search to delivery, and reads `/metrics` of the process that did it all. */
describe('GET /metrics', () => {
  let app: TestApp;
  let fleet: WorkerProcess;
  let receiver: WebhookReceiver;
  let samples: Sample[];
  const words: string[] = [];

  let server: { stop(): Promise<void> } | undefined;
  const scrape = async ({ runtime }: TestApp) => {
    const url = `http://127.0.0.1:${runtime.config.metricsPort}/metrics`;
    return metricsIn(await (await fetch(url)).text());
  };
  const read = () => scrape(app);
  const serve = ({ runtime }: TestApp) =>
    startMetricsServer(runtime, createFleetMetrics(runtime).read);

  beforeAll(async () => {
    app = await startTestApp({
      TRANSFER_START_DELAY_MS: '0',
      TRANSFER_CONFIRM_DELAY_MS: '0',
      transferPollMs: 20,
      sandboxRegistrarDelayMs: 0,
      outboxPollMs: 20,
      METRICS_PORT: String(await freePort()),
    });
    server = await serve(app);
    receiver = await startWebhookReceiver();
    const { client, partnerId, keyId } = await app.partner();
    const listing = await givenListing(app.runtime);
    words.push(partnerId, keyId, listing.domain, receiver.url);
    await client.put('/webhooks', {
      body: { url: receiver.url, secret: 'sixteen-characters-or-more' },
    });
    await client.get('/v1/domains/search', { query: { q: 'coffee' } });
    await app.public.post('/tools/whois', { body: { domain: 'nobody-has-this.com' } });
    const order = await client.post('/v1/orders', {
      body: orderBody(listing),
      idempotencyKey: 'metrics-1',
    });
    expect(order.status).toBe(201);
    words.push(order.body.public_id);
    fleet = startWorkers(app.runtime);
    await eventually(
      () => receiver.received.map(({ event }) => event.type),
      (types) => types.includes('order.transfer_completed'),
    );
    // Scrapes between two jobs: while a job runs, its wait is counted but its duration is not.
    samples = await eventually(
      () => read(),
      (all) => {
        const transfers = (name: string) => sumOf(all, name, { queue: 'transfers' });
        return (
          sumOf(all, 'marketplace_webhook_delivery_seconds_count', { class: 'healthy' }) >= 3 &&
          transfers('marketplace_job_wait_seconds_count') ===
            transfers('marketplace_job_seconds_count') &&
          ['redis', 'postgres'].every(
            (source) => sumOf(all, 'marketplace_fleet_read_ok', { source }) === 1,
          )
        );
      },
    );
  });
  afterAll(async () => {
    await fleet.stop();
    await receiver.close();
    await server?.stop();
    await app.stop();
  });

  it('counts requests by route, jobs by outcome, searches, and lookups', () => {
    const route = '/api/partner/v1/orders';
    expect(sumOf(samples, 'marketplace_http_seconds_count', { route, method: 'POST' })).toBe(1);
    const done = { queue: 'transfers', outcome: 'done' };
    expect(sumOf(samples, 'marketplace_jobs_total', done)).toBeGreaterThanOrEqual(2);
    expect(sumOf(samples, 'marketplace_search_seconds_count', {})).toBe(1);
    expect(sumOf(samples, 'marketplace_lookups_total', { source: 'registry' })).toBe(1);
  });

  it('is served on PORT too, outside production', async () => {
    const answer = await fetch(`${app.url}/metrics`);
    expect(answer.headers.get('Content-Type')).toContain('text/plain; version=0.0.4');
    const all = metricsIn(await answer.text());
    expect(sumOf(all, 'marketplace_search_seconds_count', {})).toBe(1);
    expect(sumOf(all, 'marketplace_fleet_read_ok', { source: 'redis' })).toBe(1);
    expect((await fetch(`${app.url}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('measures webhook delivery by the health of the endpoint', () => {
    const healthy = { class: 'healthy' };
    const delivered = sumOf(samples, 'marketplace_webhook_delivery_seconds_count', healthy);
    const attempts = { ...healthy, outcome: 'delivered' };
    expect(sumOf(samples, 'marketplace_webhook_attempts_total', attempts)).toBe(delivered);
    expect(sumOf(samples, 'marketplace_webhook_endpoints', healthy)).toBe(1);
    expect(sumOf(samples, 'marketplace_webhook_endpoints', { class: 'failing' })).toBe(0);
  });

  it('measures how long jobs and events waited', () => {
    const due = sumOf(samples, 'marketplace_job_wait_seconds_count', { queue: 'transfers' });
    expect(due).toBe(sumOf(samples, 'marketplace_job_seconds_count', { queue: 'transfers' }));
    const healthy = { class: 'healthy' };
    const sent = sumOf(samples, 'marketplace_webhook_first_attempt_seconds_count', healthy);
    expect(sent).toBe(sumOf(samples, 'marketplace_webhook_delivery_seconds_count', healthy));
  });

  it('reports the whole fleet: queues, outbox, pending manual work and connections', () => {
    for (const source of ['redis', 'postgres']) {
      expect(sumOf(samples, 'marketplace_fleet_read_ok', { source })).toBe(1);
    }
    const waiting = samples.filter(
      ({ name, labels }) => name === 'marketplace_queue_jobs' && labels.state === 'waiting',
    );
    expect(waiting.map(({ labels }) => labels.queue)).toEqual([...QUEUE_NAMES]);
    expect(sumOf(samples, 'marketplace_work_waiting', { kind: 'review' })).toBe(0);
    expect(sumOf(samples, 'marketplace_settlement_runs_open', { environment: 'LIVE' })).toBe(0);
    expect(sumOf(samples, 'marketplace_redis_up', { connection: 'commands' })).toBe(1);
    expect(sumOf(samples, 'marketplace_postgres_connections', {})).toBeGreaterThan(0);
  });

  it('has no partner, domain, order or URL in its labels', () => {
    const labels = JSON.stringify(samples.map((sample) => sample.labels));
    for (const word of words) expect(labels).not.toContain(word);
    expect(labels).not.toMatch(/(ptr|ord|evt|whe|pk)_[0-9a-z]{5}/);
  });

  it('uses route patterns as labels, whatever paths and methods are requested', async () => {
    const before = new Set((await read()).map(({ labels }) => labels.route));
    for (const path of ['/x1', '/api/partner/v1/orders/ord_x', '/api/v1/none', '/r/abc?y=1']) {
      await fetch(app.url + path, { redirect: 'manual' });
      await fetch(app.url + path, { method: 'PROPFIND', redirect: 'manual' });
    }
    const added = (await read())
      .map(({ labels }) => labels.route)
      .filter((route) => route !== undefined && !before.has(route));
    const patterns = ['/api/partner/v1/orders/:public_id', '/r/:code'];
    expect([...new Set(added)].sort()).toEqual(patterns);
  });

  it('omits figures that it cannot read, and reports the failed source', async () => {
    const broken = await startTestApp({ METRICS_PORT: String(await freePort()) });
    const itsServer = await serve(broken);
    try {
      await broken.runtime.db.close();
      const left = await scrape(broken);
      expect(sumOf(left, 'marketplace_fleet_read_ok', { source: 'postgres' })).toBe(0);
      expect(sumOf(left, 'marketplace_fleet_read_ok', { source: 'redis' })).toBe(1);
      expect(left.some(({ name }) => name === 'marketplace_webhook_endpoints')).toBe(false);
      expect(left.some(({ name }) => name === 'marketplace_ledger_imbalances')).toBe(false);
      expect(left.some(({ name }) => name === 'marketplace_queue_jobs')).toBe(true);
    } finally {
      await itsServer?.stop();
      await broken.stop();
    }
  });
});
