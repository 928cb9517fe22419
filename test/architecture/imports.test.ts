import { describe, expect, it } from '@jest/globals';
import { type ImportStatement, importsOf, readSources } from '../support/sources.ts';

const sources = readSources();
/** Whether a file is part of the product rather than its tests or measurements. */
const isProduct = (file: string) => !['measure', 'test'].includes(moduleOf(file));
const code = sources.flatMap((source) => source.imports).filter(({ file }) => isProduct(file));
/** The layers of `shared`, the lowest first (docs/architecture.md). */
const LAYERS = [
  'platform',
  'messaging',
  'people',
  'market',
  'domains',
  'money',
  'sales',
  'settlement',
  'operations',
];
const SANDBOX_NAMES = 'shared/market/inventory/sandbox-names.ts';

describe('modules', () => {
  it('api and workers never import each other', () => {
    expectNone(
      code.filter(
        ({ file, target }) =>
          (moduleOf(file) === 'api' && moduleOf(target) === 'workers') ||
          (moduleOf(file) === 'workers' && moduleOf(target) === 'api'),
      ),
    );
  });

  it('shared imports neither api nor workers', () => {
    expectNone(
      code.filter(
        ({ file, target }) =>
          moduleOf(file) === 'shared' && ['api', 'workers'].includes(moduleOf(target)),
      ),
    );
  });

  it('only tests and measurements import test code, measurements only test/support', () => {
    expectNone(code.filter(({ target }) => !isProduct(target)));
    expectNone(
      sources
        .flatMap((source) => source.imports)
        .filter(
          ({ file, target }) =>
            moduleOf(file) === 'measure' &&
            moduleOf(target) === 'test' &&
            !target.startsWith('test/support/'),
        ),
    );
  });

  it('only the migration check and data retention import db', () => {
    expectNone(
      code.filter(
        ({ file, target }) =>
          moduleOf(target) === 'db' &&
          moduleOf(file) !== 'db' &&
          !(target === 'db/migrate.ts' && file.startsWith('api/health/')) &&
          !(
            target === 'db/retention.ts' &&
            ['operations/retention', 'operations/partitions'].includes(featureOf(file))
          ),
      ),
    );
  });

  it('the SDK imports only itself and Node, and nothing imports it', () => {
    expectNone(
      code.filter(
        ({ file, target }) =>
          moduleOf(file) === 'sdk' && moduleOf(target) !== 'sdk' && !target.startsWith('node:'),
      ),
    );
    expectNone(
      code.filter(({ file, target }) => moduleOf(file) !== 'sdk' && moduleOf(target) === 'sdk'),
    );
    expectNone(
      code.filter(
        ({ file, target }) => file.startsWith('sdk/src/') && target.startsWith('sdk/generator/'),
      ),
    );
  });

  it('the demo registry imports only the protocol and platform; only tests import it', () => {
    expectNone(
      code.filter(
        ({ file, target, ours }) =>
          moduleOf(file) === 'epp-demo' &&
          ours &&
          moduleOf(target) !== 'epp-demo' &&
          !/^shared\/(domains\/epp|platform)\//.test(target),
      ),
    );
    expectNone(
      code.filter(
        ({ file, target }) => moduleOf(file) !== 'epp-demo' && moduleOf(target) === 'epp-demo',
      ),
    );
  });

  it('migrations import only Knex types', () => {
    expectNone(
      code.filter(
        ({ file, target, typeOnly }) =>
          file.startsWith('db/migrations/') && !(target === 'knex' && typeOnly),
      ),
    );
  });
});

describe('shared', () => {
  const shared = code.filter(({ file, ours }) => moduleOf(file) === 'shared' && ours);

  it('a store is imported only within its folder', () => {
    expectNone(
      code.filter(
        ({ file, target }) => target.endsWith('.store.ts') && folderOf(file) !== folderOf(target),
      ),
    );
  });

  it('layers import only from layers below them', () => {
    expectNone(
      shared.filter(
        ({ file, target }) => LAYERS.indexOf(layerOf(target)) > LAYERS.indexOf(layerOf(file)),
      ),
    );
    expect([...new Set(shared.map(({ file }) => layerOf(file)))].sort()).toEqual(
      [...LAYERS].sort(),
    );
  });

  it('the registrar port imports only protocol, registrants, platform, and database', () => {
    expectNone(
      shared.filter(
        ({ file, target }) =>
          featureOf(file) === 'domains/registrar' &&
          ![
            'domains/registrar',
            'domains/registrants',
            'domains/epp',
            'messaging/unit-of-work',
            'platform',
          ].includes(featureOf(target)) &&
          target !== SANDBOX_NAMES,
      ),
    );
  });

  it('the registry protocol imports only platform', () => {
    expectNone(
      shared.filter(
        ({ file, target }) =>
          featureOf(file) === 'domains/epp' &&
          !['domains/epp', 'platform'].includes(featureOf(target)),
      ),
    );
  });

  it('payment providers import only platform and the database', () => {
    expectNone(
      shared.filter(
        ({ file, target }) =>
          /^shared\/money\/payments\/(payment-provider|sandbox-|stripe-)/.test(file) &&
          !['money/payments', 'messaging/unit-of-work', 'platform'].includes(featureOf(target)),
      ),
    );
  });

  it('the outbox imports no features', () => {
    expectNone(
      shared.filter(
        ({ file, target }) =>
          featureOf(file) === 'messaging/jobs' &&
          !['messaging/jobs', 'messaging/unit-of-work', 'platform'].includes(featureOf(target)),
      ),
    );
  });

  it('folders of a layer have no import cycles', () => {
    // Type-only imports may go both ways, since they vanish at run time.
    const edges = shared.filter(({ typeOnly }) => !typeOnly);
    const cycle = findCycle(edges.map((edge) => [featureOf(edge.file), featureOf(edge.target)]));
    const links = (cycle ?? []).flatMap((feature, at, ring) =>
      edges.filter(
        ({ file, target }) =>
          featureOf(file) === feature && featureOf(target) === ring[(at + 1) % ring.length],
      ),
    );
    expect(describeAll(links)).toEqual([]);
  });

  it('files have no import cycles', () => {
    const edges = code.filter(({ ours, typeOnly }) => ours && !typeOnly);
    expect(findCycle(edges.map(({ file, target }) => [file, target]))).toBeUndefined();
  });

  it('file names are unique', () => {
    const files = sources
      .map(({ file }) => file)
      .filter((file) => ['api', 'workers', 'shared'].includes(moduleOf(file)));
    const names = files.map((file) => file.slice(file.lastIndexOf('/') + 1));
    // Both processes start in a main.ts.
    const twice = names.filter((name, at) => name !== 'main.ts' && names.indexOf(name) !== at);
    expect(twice).toEqual([]);
  });
});

describe('package boundaries', () => {
  it.each<[what: string, pattern: RegExp, allowed: (file: string) => boolean]>([
    [
      'knex',
      /^knex$/,
      (file) => file === 'shared/platform/database/connection-pool.ts' || isDb(file),
    ],
    ['pg', /^pg$/, (file) => file.startsWith('shared/platform/database/') || isDb(file)],
    ['ioredis', /^ioredis$/, (file) => file === 'shared/platform/redis/redis.ts'],
    ['undici', /^undici$/, (file) => file.startsWith('shared/platform/')],
    ['express', /^express$/, (file) => moduleOf(file) === 'api'],
    ['xmldom', /^@xmldom\//, (file) => file === 'shared/domains/epp/epp-xml.ts'],
    ['stripe', /^stripe$/, (file) => file.startsWith('shared/money/payments/stripe-')],
    ['Bull Board', /^@bull-board\//, (file) => file.startsWith('api/ops/')],
    [
      'bullmq',
      /^bullmq$/,
      (file) => isWorker(file) || file === 'shared/messaging/jobs/job-queues.ts',
    ],
  ])('%s is imported only where it belongs', (_what, pattern, allowed) => {
    expectNone(
      code.filter(
        ({ file, target, typeOnly }) => pattern.test(target) && !typeOnly && !allowed(file),
      ),
    );
  });

  it('BullMQ workers and jobs live under workers, its queues in messaging/jobs', () => {
    const names = (file: string, text: string) =>
      [...text.matchAll(/^import (?:type )?\{([^}]*)\} from 'bullmq'/gm)].flatMap(([, list = '']) =>
        list.split(',').map((name) => `${file}: ${name.replace(/\btype\b/, '').trim()}`),
      );
    const used = sources
      .filter(({ file }) => isProduct(file))
      .flatMap(({ file, text }) => names(file, text));
    expect(used.filter((use) => /: (Worker|Job)$/.test(use) && !isWorker(use))).toEqual([]);
    expect(used.filter((use) => use.endsWith(': Queue') && isWorker(use))).toEqual([]);
  });

  it('only workers add jobs to BullMQ', () => {
    const adding = sources.filter(
      ({ file, text }) =>
        ['api', 'workers', 'shared'].includes(moduleOf(file)) &&
        /\.addBulk\(|\.upsertJobScheduler\(|queues\s*\.get\([^)]*\)\s*\.add\(/.test(text),
    );
    expect(adding.filter(({ file }) => !isWorker(file)).map(({ file }) => file)).toEqual([]);
    expect(adding.map(({ file }) => file)).toContain('workers/outbox/dispatcher.ts');
  });

  it('only platform/config.ts reads process.env', () => {
    const readers = sources.filter(
      ({ file, text }) =>
        isProduct(file) &&
        /\bprocess\.env\b/.test(text) &&
        // The command line of the SDK runs on a partner's machine.
        ![CONFIG, 'sdk/src/cli/main.ts'].includes(file),
    );
    expect(readers.map(({ file }) => file)).toEqual([]);
  });

  it('only platform reads the clock and random numbers', () => {
    const askers = sources.filter(
      ({ file, text }) =>
        ['api', 'workers', 'shared'].includes(moduleOf(file)) &&
        !file.startsWith('shared/platform/') &&
        /\bnew Date\(\)|\bDate\.now\(\)|\bMath\.random\(\)|\brandomUUID\(/.test(text),
    );
    expect(askers.map(({ file }) => file)).toEqual([]);
  });
});

describe('the import scanner', () => {
  it('reads the whole project and resolves every import of our files', () => {
    const files = new Set(sources.map(({ file }) => file));
    expect(files.size).toBeGreaterThan(150);
    expectNone(
      code.filter(
        ({ ours, target }) => ours && !files.has(target) && !/\.(json|js|mjs)$/.test(target),
      ),
    );
  });

  it('distinguishes type imports and finds every form of import', () => {
    const text = [
      `import express, { type Request } from 'express';`,
      `import type { Knex } from 'knex';`,
      `import {\n  type A,\n  type B,\n} from '../b.ts';`,
      `import 'side-effect';`,
      `export { c } from './c.ts';`,
      `// import { no } from 'commented';`,
      `const d = await import('./d.ts');`,
      `type E = typeof import('./e.ts');`,
    ].join('\n');
    const found = importsOf('a/x/file.ts', text).map(
      ({ target, typeOnly }) => `${typeOnly ? 'type ' : ''}${target}`,
    );
    expect(found.sort()).toEqual(
      ['a/x/c.ts', 'a/x/d.ts', 'express', 'side-effect'].concat([
        'type a/b.ts',
        'type a/x/e.ts',
        'type knex',
      ]),
    );
  });

  it('finds a cycle and lists its members', () => {
    expect(
      findCycle([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'a'],
        ['d', 'a'],
      ]),
    ).toEqual(['a', 'b', 'c']);
    expect(
      findCycle([
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'c'],
      ]),
    ).toBeUndefined();
  });
});

const CONFIG = 'shared/platform/config/config.ts';

function isDb(file: string): boolean {
  return file.startsWith('db/');
}

function isWorker(file: string): boolean {
  return file.startsWith('workers/');
}

function moduleOf(path: string): string {
  return path.split('/')[0] ?? '';
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** The layer of `shared` that a file is in. */
function layerOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** The folder of a layer that a file is in: `sales/orders`. All of `platform` is one. */
function featureOf(path: string): string {
  const [, layer = '', folder = ''] = path.split('/');
  return layer === 'platform' ? layer : `${layer}/${folder}`;
}

function describeAll(imports: readonly ImportStatement[]): string[] {
  return imports.map(({ file, target }) => `${file} imports ${target}`);
}

function expectNone(imports: readonly ImportStatement[]): void {
  expect(describeAll(imports)).toEqual([]);
}

/** The nodes of one cycle, or undefined. */
function findCycle(edges: readonly (readonly [from: string, to: string])[]): string[] | undefined {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    if (from === to) continue;
    next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  const done = new Set<string>();
  const walk = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return path.slice(path.indexOf(node));
    if (done.has(node)) return undefined;
    for (const target of next.get(node) ?? []) {
      const cycle = walk(target, [...path, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of next.keys()) {
    const cycle = walk(node, []);
    if (cycle) return cycle;
  }
  return undefined;
}
