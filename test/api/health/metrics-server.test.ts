import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMetricsServer } from '../../../shared/platform/observability/metrics.ts';
import { metricsIn } from '../../support/metrics.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { freePort } from '../../support/service-process.ts';

describe('the metrics server of a process', () => {
  let runtime: TestRuntime;
  let server: { stop(): Promise<void> } | undefined;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    runtime = await createTestRuntime({ METRICS_PORT: String(port), HOST: '127.0.0.1' });
    server = await startMetricsServer(runtime);
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await server?.stop();
    await runtime.stop();
  });

  it('are what it did itself, without the figures of the installation', async () => {
    runtime.metrics.jobsTotal.inc({ queue: 'webhooks', name: 'deliver', outcome: 'done' });
    const samples = metricsIn(await (await fetch(`${url}/metrics`)).text());
    const names = new Set(samples.map(({ name }) => name));
    expect(names).toContain('marketplace_jobs_total');
    expect(names).toContain('process_cpu_seconds_total');
    expect(names).not.toContain('marketplace_queue_jobs');
    expect(names).not.toContain('marketplace_outbox_backlog');
  });

  it('stand beside a sign of life, and nothing else', async () => {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('say when their port is taken', async () => {
    await expect(startMetricsServer(runtime)).rejects.toThrow('EADDRINUSE');
  });

  it('are switched off without a port', async () => {
    const config = { ...runtime.config, metricsPort: 0 };
    expect(await startMetricsServer({ ...runtime, config })).toBeUndefined();
  });
});
