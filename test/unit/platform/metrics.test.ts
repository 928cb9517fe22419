import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '../../../shared/platform/observability/metrics.ts';

const connections = { db: { connections: () => ({}) as never }, redis: {} };

describe('process metrics', () => {
  it('watch the process only once, however often they are created', () => {
    const [one, other] = [createMetrics(connections), createMetrics(connections)];
    for (const name of ['nodejs_gc_duration_seconds', 'nodejs_eventloop_lag_seconds']) {
      const metric = one.registry.getSingleMetric(name);
      expect(metric).toBeDefined();
      expect(other.registry.getSingleMetric(name)).toBe(metric);
    }
    expect(other.searchSeconds).not.toBe(one.searchSeconds);
  });
});
