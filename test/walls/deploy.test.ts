import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../shared/platform/config.ts';
import { VARIABLES } from '../../shared/platform/config-variables.ts';
import { QUEUE_NAMES } from '../../shared/platform/queues.ts';
import { readProjectFile } from '../support/sources.ts';

// biome-ignore lint/suspicious/noExplicitAny: read field by field
type Yaml = any;

const FOLDER = 'deploy/kubernetes/';
const variables: string[] = Object.values(VARIABLES).map(({ name }) => name);
const workers = QUEUE_NAMES.map((queue) => `worker-${queue}`);

/** The files that a command starts, read so that a missing one fails. */
const filesOf = (command: readonly string[]) =>
  [...command.join(' ').matchAll(/[\w/-]+\.(?:ts|mjs|sh)\b/g)].map(([file]) =>
    readProjectFile(file),
  );
const queueOf = (command: readonly string[]) => command[command.indexOf('--queues') + 1];

describe('docker-compose.yml', () => {
  const { services }: Yaml = parse(readProjectFile('docker-compose.yml'), { merge: true });

  it('runs the API and a worker of each queue', () => {
    const ours = Object.keys(services).filter(
      (name) => !['postgres', 'redis', 'release'].includes(name),
    );
    expect(ours.sort()).toEqual(['web', ...workers].sort());
    for (const name of workers) expect(`worker-${queueOf(services[name].command)}`).toBe(name);
  });

  it('starts files that exist, with variables that there are', () => {
    for (const name of ['release', ...workers]) {
      expect(filesOf(services[name].command)).not.toEqual([]);
    }
    const given = Object.keys(services.web.environment);
    expect(given.filter((name) => !variables.includes(name))).toEqual([]);
  });

  it('gives every command, and every question for health, as words', () => {
    for (const { command = [], healthcheck } of Object.values<Yaml>(services)) {
      const words = [...command, ...(healthcheck?.test ?? [])];
      expect(words.filter((word) => typeof word !== 'string')).toEqual([]);
    }
  });
});

describe('deploy/kubernetes', () => {
  const files = readdirSync(new URL(`../../${FOLDER}`, import.meta.url));
  const kustomization: Yaml = parse(readProjectFile(`${FOLDER}kustomization.yaml`));
  const resources: Yaml[] = kustomization.resources.flatMap((file: string) =>
    parseAllDocuments(readProjectFile(FOLDER + file)).map((each) => {
      expect([...each.errors, ...each.warnings]).toEqual([]);
      return each.toJS();
    }),
  );
  const ofKind = (kind: string) => resources.filter((resource) => resource.kind === kind);
  const namesOf = (kind: string) => ofKind(kind).map(({ metadata }) => metadata.name);
  const podsOf = (resource: Yaml) => resource.spec.template.spec;

  it('has every file in its list', () => {
    expect(files.filter((file) => file !== 'kustomization.yaml').sort()).toEqual(
      [...kustomization.resources].sort(),
    );
  });

  it('runs the API and a worker of each queue; each may be scaled and outlives the loss of a machine', () => {
    const expected = ['web', ...workers].sort();
    for (const kind of ['Deployment', 'PodDisruptionBudget', 'HorizontalPodAutoscaler']) {
      expect(namesOf(kind).sort()).toEqual(expected);
    }
    for (const { metadata, spec } of ofKind('HorizontalPodAutoscaler')) {
      expect(spec.scaleTargetRef.name).toBe(metadata.name);
    }
    for (const { metadata, spec } of ofKind('Deployment')) {
      const [{ command }] = spec.template.spec.containers;
      if (metadata.name !== 'web') expect(`worker-${queueOf(command)}`).toBe(metadata.name);
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    }
    for (const { metadata, spec } of [...ofKind('PodDisruptionBudget'), ...ofKind('Service')]) {
      expect(spec.selector.matchLabels ?? spec.selector).toEqual({
        'app.kubernetes.io/component': metadata.name,
      });
    }
  });

  it('starts files that exist, as nobody in particular, and gives them the time to drain', () => {
    const [{ data }] = ofKind('ConfigMap');
    for (const resource of [...ofKind('Deployment'), ...ofKind('Job')]) {
      const pod = podsOf(resource);
      const [container] = pod.containers;
      expect(filesOf(container.command)).not.toEqual([]);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
      });
      if (resource.kind === 'Deployment')
        expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(Number(data.SHUTDOWN_MS));
    }
  });

  it('asks for health where it is told', () => {
    const [{ data }] = ofKind('ConfigMap');
    for (const resource of ofKind('Deployment')) {
      const [container] = podsOf(resource).containers;
      const web = resource.metadata.name === 'web';
      const [{ name, containerPort }] = container.ports;
      expect(String(containerPort)).toBe(web ? data.PORT : data.METRICS_PORT);
      for (const probe of ['startupProbe', 'livenessProbe']) {
        expect(container[probe].httpGet).toEqual({ path: '/healthz', port: name });
      }
      if (web) expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: name });
    }
  });

  it('has a configuration that a process starts with', () => {
    const [{ data }] = ofKind('ConfigMap');
    expect(Object.keys(data).filter((name) => !variables.includes(name))).toEqual([]);
    const secret = {
      DATABASE_URL: 'postgres://postgres',
      REDIS_URL: 'redis://redis',
      SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    };
    expect(loadConfig({ ...data, ...secret })).toMatchObject({ nodeEnv: 'production' });
  });

  it('scales by metrics that there are', () => {
    const monitoring = readProjectFile('docs/monitoring.md');
    for (const { spec } of ofKind('HorizontalPodAutoscaler')) {
      for (const { external } of spec.metrics) {
        if (!external) continue;
        const { name, selector } = external.metric;
        const row = monitoring.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
        for (const label of Object.keys(selector.matchLabels))
          expect(row).toContain(`\`${label}\``);
      }
    }
  });
});
