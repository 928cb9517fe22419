import { once } from 'node:events';
import Module from 'node:module';
import type { Worker } from 'node:worker_threads';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { type ApiServices, composeApi } from '../../../api/compose-api.ts';
import { addListings } from '../../../shared/market/inventory/import-listings.ts';
import { searchListings } from '../../../shared/market/search/search-listings.ts';
import type { SearchPart } from '../../../shared/market/search/search-parts.ts';
import { openInfrastructure } from '../../../shared/operations/infrastructure.ts';
import { loadConfig } from '../../../shared/platform/config/config.ts';
import { createLogger } from '../../../shared/platform/observability/logger.ts';
import { refreshAllEmbeddings } from '../../support/embeddings.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { environmentOf, type TestSettings } from '../../support/settings.ts';
import { type Threads, watchThreads } from '../../support/threads.ts';

const NAMES = [
  'toothclinic.com',
  'harborbrewery.com',
  'guitarlessons.com',
  'mortgagedesk.com',
  'motorcyclehub.com',
  'denverflorist.com',
  'rooftopgarden.com',
  'oldtownbakery.com',
  'taxreturns.com',
  'deepseadiving.com',
  'winterboots.com',
  'horsestable.com',
  'pianotuner.com',
  'solarpanels.com',
  'weddingcakes.com',
  'officechairs.com',
  'cloudbackup.com',
  'kidstoys.com',
  'gymtrainer.com',
  'housepainter.com',
];
/** Shares no word with any name but is close to {@link MEANT} in meaning. */
const QUERY = 'cavities';
const MEANT = 'toothclinic.com';
/** The same for {@link OTHER_MEANT}. */
const OTHER_QUERY = 'underwater adventures';
const OTHER_MEANT = 'deepseadiving.com';
/** Matches by words alone. */
const WORDS = 'brewery';
const WORDED = 'harborbrewery.com';
/** Long enough for every search to get its vector. */
const PATIENT_MS = 60_000;
/** Too short for a thread to start. */
const HASTY_MS = 1;

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime({ SEARCH_ENCODER: 'on', embeddingsBudgetMs: PATIENT_MS });
  const listings = NAMES.map((domain) => ({ domain, priceCents: 10_000 }));
  await addListings(runtime, { environment: 'SANDBOX', listings });
  await refreshAllEmbeddings(runtime);
});
afterAll(() => runtime.stop());

let threads: Threads;
let api: ApiServices | undefined;
beforeEach(() => {
  threads = watchThreads();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await api?.stop();
  api = undefined;
  const left = await threads.running();
  threads.stop();
  expect(left).toEqual([]);
});

/** An API process of its own; its encoder has not started. */
async function startApi(
  settings: TestSettings = {},
): Promise<{ api: ApiServices; logged: string[] }> {
  const logged: string[] = [];
  const log = createLogger(
    { level: 'info', name: 'test' },
    { write: (line) => void logged.push(line) },
  );
  const config = loadConfig(environmentOf({ ...runtime.env, ...settings }));
  api = composeApi(openInfrastructure(config, { process: 'test-api', clock: runtime.clock, log }));
  await api.ready();
  return { api, logged };
}

const search = async (
  query: string,
  deps: Parameters<typeof searchListings>[0] = runtime,
  without: readonly SearchPart[] = [],
) =>
  (await searchListings(deps, { environment: 'SANDBOX', query, without })).map(
    ({ domain }) => domain,
  );
const thread = (): Worker => {
  const last = threads.started.at(-1);
  if (!last) throw new Error('no thread was started');
  return last;
};

describe('search with the sentence encoder', () => {
  it('finds a name that shares no word with the query', async () => {
    expect((await search(QUERY))[0]).toBe(MEANT);
    expect((await search(OTHER_QUERY))[0]).toBe(OTHER_MEANT);
    expect(await search(QUERY, runtime, ['encoder'])).toEqual([]);
    expect(await search(OTHER_QUERY, runtime, ['encoder'])).toEqual([]);
  });

  it('matches by words until its thread has started, then by meaning', async () => {
    const { api: hasty } = await startApi({ embeddingsBudgetMs: HASTY_MS });
    // However quickly the thread starts, hold back its messages until the search has returned.
    const heldBack = holdMessages();
    const found = await search(WORDS, hasty);
    expect(found).toEqual(expect.arrayContaining([WORDED]));
    await eventually(() => threads.started.length);
    heldBack.release();
    await eventually(
      () => search(QUERY, hasty),
      ([first]) => first === MEANT,
    );
  });

  it('matches by words when its thread dies and starts another for the next query', async () => {
    const { api: service } = await startApi({ embeddingsBudgetMs: 5_000 });
    const finds = (query: string, domain: string) =>
      eventually(
        () => search(query, service),
        ([first]) => first === domain,
      );
    await finds(QUERY, MEANT);
    const asked = search(`good ${WORDS}`, service);
    await thread().terminate();
    expect((await asked)[0]).toBe(WORDED);
    await finds(OTHER_QUERY, OTHER_MEANT);
    expect(threads.started.length).toBe(2);
  });

  it('matches by words when its thread cannot start', async () => {
    const { api: service } = await startApi();
    const asked = search(WORDS, service);
    const started = await eventually(() => threads.started.at(-1));
    started?.emit('error', new Error('out of memory'));
    expect((await asked)[0]).toBe(WORDED);
    await started?.terminate();
  });

  it('stops its thread with the process', async () => {
    const { api: service } = await startApi();
    await search(QUERY, service);
    const ended = once(thread(), 'exit');
    await service.stop();
    await ended;
  });

  it('starts no thread when it is turned off', async () => {
    const { api: service } = await startApi({ SEARCH_ENCODER: 'off' });
    expect((await search(WORDS, service))[0]).toBe(WORDED);
    expect(await service.embeddings.refresh(new AbortController().signal)).toBeNull();
    expect(threads.started).toEqual([]);
  });

  it('matches by words when its package is missing and logs that once', async () => {
    withoutPackages('@energetic-ai/');
    const { api: service, logged } = await startApi();
    expect((await search(WORDS, service))[0]).toBe(WORDED);
    expect((await search('mortgage', service))[0]).toBe('mortgagedesk.com');
    expect(logged.filter((line) => line.includes('encoder'))).toHaveLength(1);
    expect(await service.embeddings.refresh(new AbortController().signal)).toBeNull();
    expect(threads.started).toEqual([]);
  });
});

/** Holds back the messages of the next thread until it is released. */
function holdMessages(): { release(): void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  process.once('worker', (started: Worker) => {
    const emit = started.emit.bind(started) as (event: string, ...said: unknown[]) => boolean;
    const late = (event: string, ...said: unknown[]) => {
      if (event !== 'message') return emit(event, ...said);
      released.then(() => emit(event, ...said));
      return true;
    };
    started.emit = late as Worker['emit'];
  });
  return { release: () => release() };
}

/** Makes packages with this prefix look uninstalled. */
function withoutPackages(scope: string): void {
  const loader = Module as unknown as {
    _resolveFilename(request: string, ...rest: unknown[]): string;
  };
  const resolve = loader._resolveFilename;
  jest.spyOn(loader, '_resolveFilename').mockImplementation((request, ...rest) => {
    if (request.startsWith(scope)) throw new Error(`Cannot find module '${request}'`);
    return resolve.call(loader, request, ...rest);
  });
}
