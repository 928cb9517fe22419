import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { parse as parseYaml } from 'yaml';
import { createFleetMetrics } from '../../shared/operations/monitoring/fleet-metrics.ts';
import { headingAnchors } from '../support/documents.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { readProjectFile } from '../support/sources.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}
interface RuleTest {
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}
interface Panel {
  id: number;
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { refId: string; expr: string; legendFormat: string }[];
}

const alerts: { groups: { name: string; rules: Rule[] }[] } = parseYaml(
  readProjectFile('docs/monitoring/alerts.yml'),
);
const rules = alerts.groups.flatMap((group) => group.rules);
const dashboard: { uid: string; panels: Panel[]; schemaVersion: number } = JSON.parse(
  readProjectFile('docs/monitoring/dashboard.json'),
);
const targets = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map((target) => ({ title, ...target })),
);
const expressions = [
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
  ...targets.map(({ title, expr }) => ({ where: title, expr })),
];

/** The metrics of an expression, with their labels and whether it takes their `max`. */
interface Selector {
  metric: string;
  labels: string[];
  highest: boolean;
}

function selectorsOf(expr: string): Selector[] {
  const found: Selector[] = [];
  const text = (node: SyntaxNode | null) => (node ? expr.slice(node.from, node.to) : '');
  parser.parse(expr).iterate({
    enter({ type, node, from }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${expr}`);
      if (type.name !== 'VectorSelector') return;
      const matchers = node.getChild('LabelMatchers')?.node;
      const labels: string[] = [];
      matchers?.cursor().iterate((inner) => {
        if (inner.type.name === 'LabelName') labels.push(text(inner.node));
      });
      let highest = false;
      for (let up = node.parent; up; up = up.parent) {
        if (up.type.name !== 'AggregateExpr') continue;
        highest ||= text(up.getChild('AggregateOp')) === 'max';
        up.getChild('AggregateModifier')
          ?.getChild('GroupingLabels')
          ?.cursor()
          .iterate((inner) => {
            if (inner.type.name === 'LabelName') labels.push(text(inner.node));
          });
      }
      found.push({ metric: text(node.getChild('Identifier')), labels, highest });
    },
  });
  return found;
}

/** Labels added by Prometheus. */
const OF_THE_SCRAPE = ['job', 'instance'];

describe('docs/monitoring', () => {
  let runtime: TestRuntime;
  /** The labels of every metric, by its scraped name. */
  const known = new Map<string, readonly string[]>([['up', OF_THE_SCRAPE]]);
  const ofTheFleet = new Set<string>();
  beforeAll(async () => {
    runtime = await createTestRuntime();
    const fleet = createFleetMetrics(runtime);
    for (const registry of [runtime.metrics.registry, fleet.registry]) {
      for (const metric of registry.getMetricsAsArray()) {
        const { name, labelNames = [] } = metric as { name: string; labelNames?: string[] };
        const labels = [...labelNames, ...OF_THE_SCRAPE];
        known.set(name, labels);
        for (const suffix of ['count', 'sum']) known.set(`${name}_${suffix}`, labels);
        known.set(`${name}_bucket`, [...labels, 'le']);
        if (registry === fleet.registry) ofTheFleet.add(name);
      }
    }
  });
  afterAll(() => runtime.stop());

  it.each(expressions)('$where queries existing metrics and labels', ({ expr }) => {
    const selectors = selectorsOf(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, labels } of selectors) {
      expect([...known.keys()]).toContain(metric);
      expect(known.get(metric)).toEqual(expect.arrayContaining(labels));
    }
  });

  it.each(expressions)(
    '$where counts fleet-wide metrics only once, not once per process',
    ({ expr }) => {
      const plain = selectorsOf(expr).filter(
        ({ metric, highest }) => ofTheFleet.has(metric) && !highest,
      );
      expect(plain).toEqual([]);
    },
  );

  it.each(rules)(
    '$alert has a severity, a summary, and a runbook',
    ({ alert, labels, annotations, ...rule }) => {
      expect(alert).toMatch(/^Marketplace[A-Za-z]+$/);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
      if (rule.for !== undefined) expect(rule.for).toMatch(/^\d+[smh]$/);
      const [file = '', anchor] = annotations.runbook_url.split('#');
      expect(existsSync(ROOT + file)).toBe(true);
      if (anchor !== undefined) expect(headingAnchors(readProjectFile(file))).toContain(anchor);
    },
  );

  it('tests every alert with data that triggers it', () => {
    const { tests }: { tests: RuleTest[] } = parseYaml(
      readProjectFile('docs/monitoring/alerts.test.yml'),
    );
    const tried = tests
      .flatMap(({ alert_rule_test }) => alert_rule_test)
      .filter(({ exp_alerts }) => exp_alerts.length > 0)
      .map(({ alertname }) => alertname);
    expect([...new Set(tried)].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it('has unique alert names and no overlapping panels', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x}/${y}`) && title).toBe(false);
          taken.add(`${x}/${y}`);
        }
      }
    }
  });

  it('contains exactly the files that the page mentions', () => {
    const page = readProjectFile('docs/monitoring.md');
    for (const file of readdirSync(`${ROOT}docs/monitoring`)) {
      expect(page).toContain(`(monitoring/${file})`);
    }
    const scraped = parseYaml(readProjectFile('docs/monitoring/prometheus.yml'));
    expect(scraped.rule_files).toEqual(['alerts.yml']);
    const { METRICS_PORT: port } = parseYaml(readProjectFile('deploy/kubernetes/config.yaml')).data;
    const scrapeTargets = scraped.scrape_configs.flatMap(
      (job: { static_configs: { targets: string[] }[] }) => job.static_configs[0]?.targets,
    );
    expect(scrapeTargets).toEqual([`web:${port}`, `worker:${port}`]);
  });
});
