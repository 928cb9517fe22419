import { readdirSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { QUEUE_NAMES, QUEUES } from '../../shared/messaging/jobs/job-queues.ts';
import { loadConfig, VARIABLES } from '../../shared/platform/config/config.ts';
import { manifestFaults } from '../support/manifest-types.ts';
import { secretsKey } from '../support/secrets-key.ts';
import { readProjectFile } from '../support/sources.ts';

// biome-ignore lint/suspicious/noExplicitAny: read field by field
type Yaml = any;

const FOLDER = 'deploy/kubernetes/';
const variables: string[] = Object.values(VARIABLES).map(({ name }) => name);
const workers = QUEUE_NAMES.map((queue) => `worker-${queue}`);

/** What each process needs besides the databases. The release in docker-compose.yml also seeds. */
const SECRETS_OF: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(workers.map((name) => [name, []])),
  web: ['keys', 'payments', 'embeddings'],
  'worker-webhooks': ['keys'],
  'worker-mail': ['keys', 'mail'],
  'worker-payments': ['payments'],
  'worker-maintenance': ['embeddings'],
};

/** The files that a command starts; throws if one is missing. */
const filesOf = (command: readonly string[]) =>
  [...command.join(' ').matchAll(/[\w/-]+\.(?:ts|mjs|sh)\b/g)].map(([file]) =>
    readProjectFile(file),
  );
const queueOf = (command: readonly string[]) => command[command.indexOf('--queues') + 1];

describe('docker-compose.yml', () => {
  const { services }: Yaml = parse(readProjectFile('docker-compose.yml'), { merge: true });

  it('runs the API and one worker per queue', () => {
    const ours = Object.keys(services).filter(
      (name) => !['postgres', 'redis', 'release'].includes(name),
    );
    expect(ours.sort()).toEqual(['web', ...workers].sort());
    for (const name of workers) expect(`worker-${queueOf(services[name].command)}`).toBe(name);
  });

  it('starts existing files with known variables', () => {
    for (const name of ['release', ...workers]) {
      expect(filesOf(services[name].command)).not.toEqual([]);
    }
    const given = Object.keys(services.web.environment);
    expect(given.filter((name) => !variables.includes(name))).toEqual([]);
  });

  it('contains no passwords and defaults to production', () => {
    const text = readProjectFile('docker-compose.yml');
    const used = [...text.matchAll(/\$\{(\w+)([^}]*)\}/g)].map(([, name, rest]) => ({
      name,
      rest,
    }));
    const secret = used.filter(({ name = '' }) => /PASSWORD|SECRETS_KEY/.test(name));
    expect(new Set(secret.map(({ name }) => name))).toEqual(
      new Set(['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'SECRETS_KEY']),
    );
    // `?` refuses to start without the variable, `:?` also without a value.
    expect(secret.filter(({ rest }) => !/^:?\?/.test(rest ?? ''))).toEqual([]);
    expect(services.web.environment.NODE_ENV).toMatch(/NODE_ENV:-production\}$/);
    expect(services.web.environment.REDIS_URL).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD/);
    expect(services.redis.command.join(' ')).toContain('--requirepass "$$REDIS_PASSWORD"');
    for (const { ports = [] } of Object.values<Yaml>(services)) {
      expect(ports.filter((port: string) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    }
  });

  it('runs the service as a Postgres role that is no superuser', () => {
    const { environment, volumes, healthcheck } = services.postgres;
    const url = services.web.environment.DATABASE_URL.replace(/\$\{.*?\}/, 'password');
    const { username, pathname } = new URL(url);
    expect(username).not.toBe(environment.POSTGRES_USER);
    expect(pathname).toBe(`/${environment.POSTGRES_DB}`);
    const [roles = ''] = volumes.flatMap(
      (volume: string) => /^\.\/(.*):\/docker-entrypoint-initdb\.d\//.exec(volume)?.[1] ?? [],
    );
    expect(readProjectFile(roles)).toContain(`create role ${username} login nosuperuser`);
    expect(readProjectFile(roles)).toContain(
      `alter role ${environment.POSTGRES_USER} password null`,
    );
    // The server that runs the init scripts does not listen on any address yet.
    expect(healthcheck.test.join(' ')).toContain('-h 127.0.0.1');
  });

  it('finds all required variables in development.env and .env.example', () => {
    const needed = [...readProjectFile('docker-compose.yml').matchAll(/\$\{(\w+):?\?/g)].map(
      ([, name = '']) => name,
    );
    for (const file of ['deploy/compose/development.env', '.env.example']) {
      const given = parseEnv(readProjectFile(file));
      expect(needed.filter((name) => given[name] === undefined)).toEqual([]);
    }
  });

  it('gives each process exactly the secrets that it needs', () => {
    for (const [name, secrets] of Object.entries(SECRETS_OF)) {
      const { environment } = services[name];
      expect([name, environment.SECRETS_KEY === 'none']).toEqual([name, !secrets.includes('keys')]);
      expect([name, environment.MAIL_URL === 'none']).toEqual([name, !secrets.includes('mail')]);
      expect([name, 'STRIPE_SECRET_KEY' in environment]).toEqual([
        name,
        secrets.includes('payments'),
      ]);
    }
  });

  it('spells out every command and health check as strings', () => {
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

  it('lists every manifest in kustomization.yaml', () => {
    expect(files.filter((file) => file !== 'kustomization.yaml').sort()).toEqual(
      [...kustomization.resources].sort(),
    );
  });

  it('runs a scalable, redundant deployment for the API and for each queue', () => {
    const expected = ['web', ...workers].sort();
    for (const kind of ['Deployment', 'PodDisruptionBudget']) {
      expect(namesOf(kind).sort()).toEqual(expected);
    }
    const scaled = [...ofKind('HorizontalPodAutoscaler'), ...ofKind('ScaledObject')];
    expect(scaled.map(({ metadata }) => metadata.name).sort()).toEqual(expected);
    for (const { metadata, spec } of scaled) expect(spec.scaleTargetRef.name).toBe(metadata.name);
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

  it('starts existing files without privileges and allows time to drain', () => {
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

  it('gives each pod exactly the secrets that it needs', () => {
    for (const resource of [...ofKind('Deployment'), ...ofKind('Job')]) {
      const { name } = resource.metadata;
      const [{ envFrom, env = [] }] = podsOf(resource).containers;
      const given = envFrom.flatMap(({ secretRef }: Yaml) => secretRef?.name ?? []);
      const own = name === 'release' ? ['owner'] : (SECRETS_OF[name] ?? []);
      const needed = ['stores', ...own];
      expect([name, given]).toEqual([name, needed.map((each) => `marketplace-${each}`)]);
      const noKey = env.some((each: Yaml) => each.name === 'SECRETS_KEY' && each.value === 'none');
      expect([name, noKey]).toEqual([name, !needed.includes('keys')]);
    }
  });

  it('blocks all network traffic that no policy allows', () => {
    const policies = ofKind('NetworkPolicy');
    expect(policies.find(({ metadata }) => metadata.name === 'default-deny').spec).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
    });
    const ports = ofKind('Deployment').flatMap((each) =>
      podsOf(each).containers[0].ports.map(({ name }: Yaml) => name),
    );
    for (const { spec } of policies) {
      const { matchLabels = {}, matchExpressions = [] } = spec.podSelector;
      const chosen = [
        ...Object.values(matchLabels),
        ...matchExpressions.flatMap((e: Yaml) => e.values),
      ];
      expect(chosen.filter((name) => !namesOf('Deployment').includes(name))).toEqual([]);
      for (const { from, ports: here } of spec.ingress ?? []) {
        expect(from).not.toEqual([]);
        expect(here.filter(({ port }: Yaml) => !ports.includes(port))).toEqual([]);
      }
      for (const { to } of spec.egress ?? []) {
        for (const { ipBlock } of to) {
          if (ipBlock?.cidr !== '0.0.0.0/0') continue;
          expect(ipBlock.except).toEqual(
            expect.arrayContaining([
              '10.0.0.0/8',
              '169.254.0.0/16',
              '172.16.0.0/12',
              '192.168.0.0/16',
            ]),
          );
        }
      }
    }
  });

  it('gives internet access only to the API and queues that call out', () => {
    const allowed = ofKind('NetworkPolicy')
      .filter(({ spec }) => JSON.stringify(spec.egress ?? []).includes('"0.0.0.0/0"'))
      .flatMap(({ spec: { podSelector } }) => [
        ...Object.values(podSelector.matchLabels ?? {}),
        ...(podSelector.matchExpressions ?? []).flatMap((each: Yaml) => each.values),
      ]);
    const calling = QUEUE_NAMES.filter((queue) => QUEUES[queue].callsOut);
    expect(allowed.sort()).toEqual(['web', ...calling.map((queue) => `worker-${queue}`)].sort());
  });

  it('probes health on the ports that the processes listen on', () => {
    const [{ data }] = ofKind('ConfigMap');
    for (const resource of ofKind('Deployment')) {
      const [container] = podsOf(resource).containers;
      const web = resource.metadata.name === 'web';
      const [{ name, containerPort }] = container.ports;
      expect(String(containerPort)).toBe(web ? data.PORT : data.METRICS_PORT);
      expect(resource.spec.template.metadata.annotations).toEqual({
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': data.METRICS_PORT,
      });
      expect(container.ports).toContainEqual({
        name: 'metrics',
        containerPort: Number(data.METRICS_PORT),
      });
      for (const probe of ['startupProbe', 'livenessProbe']) {
        expect(container[probe].httpGet).toEqual({ path: '/healthz', port: name });
      }
      if (web) expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: name });
    }
  });

  it('contains a configuration that a process can start with', () => {
    const [{ data }] = ofKind('ConfigMap');
    expect(Object.keys(data).filter((name) => !variables.includes(name))).toEqual([]);
    const secret = {
      DATABASE_URL: 'postgres://postgres',
      REDIS_URL: 'redis://redis',
      SECRETS_KEY: secretsKey().toString('base64'),
    };
    expect(loadConfig({ ...data, ...secret })).toMatchObject({ nodeEnv: 'production' });
  });

  it('scales each worker by existing metrics of its own queue', () => {
    const monitoring = readProjectFile('docs/monitoring.md').split('\n');
    for (const { metadata, spec } of ofKind('ScaledObject')) {
      const [{ metadata: trigger }] = spec.triggers;
      const told = /^max\(((?:\w+)?)\{(.+)\}\)$/.exec(trigger.query) ?? [];
      const [, name = '', labels = ''] = told;
      const [, pattern = name] = /__name__=~"([^"]+)"/.exec(labels) ?? [];
      const named = new RegExp(`^\\|\`(${pattern})\``);
      const rows = monitoring.filter((row) => named.test(row));
      expect([metadata.name, rows.length]).toEqual([metadata.name, name === '' ? 2 : 1]);
      const queue = /queue="([^"]+)"/.exec(labels)?.[1] ?? 'webhooks';
      expect(`worker-${queue}`).toBe(metadata.name);
      const label = name === '' ? '`queue`' : '`class`';
      for (const row of rows) expect(row).toContain(label);
    }
  });

  it('contains only fields and values that Kubernetes and KEDA accept', async () => {
    expect(await manifestFaults(resources)).toBe('');
    const [web] = ofKind('Deployment');
    const faulty = [{ replicaz: 2 }, { minReadySeconds: '5' }].map((fault) => ({
      ...web,
      spec: { ...web.spec, ...fault },
    }));
    const faults = await manifestFaults(faulty);
    expect(faults).toContain('replicaz');
    expect(faults).toContain("'string' is not assignable to type 'number'");
  });
});

describe('the Node version', () => {
  const manifest = JSON.parse(readProjectFile('package.json'));
  const shipped = readProjectFile('.nvmrc').trim();
  const [major] = shipped.split('.');

  it('is the same in .nvmrc, images, README.md, and CI', () => {
    expect(shipped).toMatch(/^24\.\d+\.\d+$/);
    const image = `node:${major}-bookworm-slim`;
    expect(readProjectFile('Dockerfile')).toContain(`ARG NODE_IMAGE=${image}\n`);
    expect(readProjectFile('Dockerfile').match(/^FROM (?!\$\{NODE_IMAGE\})/gm)).toBeNull();
    expect(readProjectFile('docker-compose.yml')).toContain(`NODE_IMAGE:-${image}}`);
    expect(readProjectFile('README.md')).toContain(`Node ${major} (`);
    const ci = readProjectFile('.ci/run');
    expect(ci).toContain("\nshipped='node scripts/on-node.mjs shipped'\n");
    const steps = ['npm test', 'npm run test:browser', 'npm run chaos', 'npm run check'];
    for (const step of [...steps, 'node scripts/smoke.mjs']) {
      expect(ci).toMatch(new RegExp(`^within \\d+m \\$shipped ${step}`, 'm'));
    }
  });

  it('has a documented minimum, which the types match and CI runs core on', () => {
    const core = 'node scripts/on-node.mjs oldest npm run test:core';
    expect(readProjectFile('.ci/run')).toContain(core);
    expect(manifest.engines.node).toBe('>=20.19');
    expect(manifest.devDependencies['@types/node']).toMatch(/^20\.19\./);
    expect(readProjectFile('README.md')).toContain('20.19 is the oldest that works');
  });
});
