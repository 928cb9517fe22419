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

  it('reports the metrics of the process, without those of the fleet', async () => {
    runtime.metrics.jobsTotal.inc({ queue: 'webhooks', name: 'deliver', outcome: 'done' });
    const samples = metricsIn(await (await fetch(`${url}/metrics`)).text());
    const names = new Set(samples.map(({ name }) => name));
    expect(names).toContain('marketplace_jobs_total');
    expect(names).toContain('process_cpu_seconds_total');
    expect(names).not.toContain('marketplace_queue_jobs');
    expect(names).not.toContain('marketplace_outbox_backlog');
  });

  it('serves GET /metrics and /healthz only', async () => {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('fails to start when its port is taken', async () => {
    await expect(startMetricsServer(runtime)).rejects.toThrow('EADDRINUSE');
  });

  it('does not start without a port', async () => {
    const config = { ...runtime.config, metricsPort: 0 };
    expect(await startMetricsServer({ ...runtime, config })).toBeUndefined();
  });
});
