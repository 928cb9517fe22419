import { setTimeout as sleep } from 'node:timers/promises';
import { createTestRuntime, type TestRuntime } from '../../test/support/runtime.ts';
import { endProcess, freePort, spawnProgram } from '../../test/support/service-process.ts';
import { type Example, withoutExample } from './examples.ts';
import { actionExamples, pageExamples } from './page-examples.ts';
import { partnerExamples } from './partner-examples.ts';
import { publicExamples } from './public-examples.ts';
import { givenTrade, prepareScene, type Scene, withIds } from './scene.ts';
import { type TimedAnswer, type Timing, TimingClient, timingOf } from './timer.ts';
import { catchUp, timeJobs, timeSettlement, timeTasks } from './work-times.ts';

/** Calls of a route before the measurement, to compile code and open connections. */
const WARM_UP = 10;

/** The time after which a slow route is not called again. */
const PATIENCE_MS = 30_000;

/** Creates an empty marketplace, to be filled and then called. */
export async function createMarketplace(): Promise<TestRuntime> {
  const port = await freePort();
  return createTestRuntime({
    PORT: String(port),
    HOST: '127.0.0.1',
    BASE_URL: `http://127.0.0.1:${port}`,
    DATABASE_POOL_SIZE: '16',
    MAX_OPEN_HOLDS: '100000',
    REVIEW_PRICE_CENTS: '0',
    REVIEW_ORDERS_PER_HOUR: '0',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
}

/** Returns every route, with its example or without one. */
export function allExamples(scene: () => Scene, client: TimingClient): Example[] {
  return [
    ...partnerExamples(scene, client),
    ...publicExamples(scene, client),
    ...actionExamples(scene, client),
    ...pageExamples(scene),
  ];
}

/**
 * Calls every route `calls` times, in sequence, on an API process of this marketplace; also settles, runs the jobs that
 * are due, and runs the scheduled tasks. Lists are read page by page. Failures are reported, without a time. `vacuum`
 * is passed in because it may exceed the marketplace's statement timeout.
 */
export async function timeEverything(
  runtime: TestRuntime,
  {
    calls,
    now,
    vacuum,
    onStep,
  }: { calls: number; now: Date; vacuum: () => Promise<unknown>; onStep: (name: string) => void },
): Promise<{ timings: Timing[]; failures: string[] }> {
  const client = new TimingClient(runtime.config.baseUrl);
  let scene: Scene;
  const examples = allExamples(() => scene, client);
  refuseHoles(examples);
  scene = await prepareScene(runtime, now);
  await givenTrade(scene);
  await catchUp(runtime);
  await vacuum();
  const child = spawnProgram(['api/main.ts'], runtime.env, ['ignore', 'ignore', 'inherit']);
  try {
    await untilReady(runtime.config.baseUrl);
    const timings: Timing[] = [];
    const failures: string[] = [];
    const timeAll = async (some: readonly Example[]) => {
      for (const example of some) {
        await timeRoute(client, example, calls).then(
          (timing) => {
            onStep(`${example.group} ${example.name}: ${timing.p99.toFixed(0)} ms`);
            timings.push(timing);
          },
          (error: Error) => failures.push(`${example.group} ${example.name}: ${error.message}`),
        );
      }
    };
    timings.push(...(await timeSettlement(scene)));
    scene = await withIds(scene);
    const called = examples.filter(({ leftOut }) => leftOut === undefined);
    await timeAll(called.filter(({ writes }) => writes));
    timings.push(...(await timeJobs(runtime)));
    scene = await withIds(scene);
    await timeAll(called.filter(({ writes }) => !writes));
    timings.push(...(await timeTasks(runtime, failures)));
    return { timings, failures };
  } finally {
    await client.close();
    await endProcess(child, 'SIGTERM');
  }
}

/** @throws Error if a route has no example */
function refuseHoles(examples: readonly Example[]): void {
  const holes = withoutExample(examples);
  if (holes.length > 0)
    throw new Error(`Not called in test/support/example-calls.ts: ${holes.join(', ')}`);
}

async function timeRoute(client: TimingClient, example: Example, calls: number): Promise<Timing> {
  const times: number[] = [];
  /** The next cursor of each list. */
  const cursors = new Map<string, string>();
  const began = performance.now();
  for (let at = 0; at < WARM_UP + calls; at += 1) {
    const isLong = performance.now() - began > PATIENCE_MS;
    if (isLong && times.length > 0) break;
    const prepared = await example.prepare?.(at);
    if (!prepared) throw new Error(`${example.name} has no example`);
    const answer = await client.send(prepared.request(cursors.get(prepared.list)));
    if (at >= WARM_UP || isLong) times.push(answer.ms);
    const next = nextCursor(answer);
    if (next === undefined) cursors.delete(prepared.list);
    else cursors.set(prepared.list, next);
    await prepared.after?.(answer);
  }
  return timingOf(example.group, example.name, times);
}

/** Returns the next cursor of a list response. */
function nextCursor({ body, text }: TimedAnswer): string | undefined {
  const told = body?.next_cursor ?? body?.page?.next_cursor;
  if (typeof told === 'string') return told;
  const [, linked] = /[?&;]cursor=([^"&]+)/.exec(text) ?? [];
  return linked === undefined ? undefined : decodeURIComponent(linked);
}

async function untilReady(baseUrl: string): Promise<void> {
  const isReady = () =>
    fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await sleep(100);
}
