import type { Registry } from 'prom-client';
import { createFleetMetrics } from '../../shared/operations/monitoring/fleet-metrics.ts';
import { createMetrics } from '../../shared/platform/observability/metrics.ts';
import { code, codes, table } from './markdown.ts';

/** Properties of a prom-client metric that its types don't declare. */
interface Declared {
  name: string;
  help: string;
  labelNames?: readonly string[];
}

/** The tables in docs/monitoring.md. They don't measure anything, so no service has to run. */
export const metricBlocks = {
  'installation metrics': () =>
    metricTable(createFleetMetrics({ figures: {}, clock: {}, log: {} } as never).registry),
  'process metrics': () => metricTable(createMetrics({ db: {}, redis: {} } as never).registry),
};

function metricTable(registry: Registry): string {
  const metrics = registry.getMetricsAsArray() as unknown as Declared[];
  return table(
    ['Metric', 'Labels', 'What it says'],
    metrics
      .filter(({ name }) => name.startsWith('marketplace_'))
      .map(({ name, labelNames = [], help }) => [code(name), codes(labelNames) || 'none', help]),
  );
}
