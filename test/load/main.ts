import { parseArgs } from 'node:util';
import { describeSurroundings } from '../bench/support/report.ts';
import { createTestRuntime } from '../support/runtime.ts';
import { LoadClient } from './load-client.ts';
import { writeLoad } from './load-report.ts';
import { startMarketplace } from './marketplace.ts';
import { createRequestMix } from './request-mix.ts';
import { runStage, type Stage, secondsToRecover } from './stages.ts';

const SHARES = [0.25, 0.5, 0.75, 0.9, 1.25, 1.5, 2];
const CALLERS = 32;
/** Until code is compiled, caches are full and tables have a past: two windows that differ by no more, or these many. */
const WARM_UP = { windowSeconds: 15, difference: 0.05, atMost: 12 };
/** As slow as this, a second after the overload still counts as disturbed. */
const CALM_TIMES = 2;

const { values } = parseArgs({
  options: {
    api: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '20' },
    write: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const market = await startMarketplace({ api: Number(values.api), workers: Number(values.workers) });
const client = new LoadClient(market.baseUrl, createRequestMix(market));
try {
  await warmUp();
  client.failures.clear();
  const capacity = await client.capacity(CALLERS, seconds);
  process.stderr.write(
    `capacity: ${Math.round(capacity)} requests/s, ${CALLERS} callers in a loop\n`,
  );
  const stages: Stage[] = [];
  for (const share of SHARES) {
    stages.push(await runStage(client, capacity, share, seconds));
    process.stderr.write(`${describe(stages.at(-1) as Stage)}\n`);
  }
  const after = await runStage(client, capacity, 0.5, seconds);
  process.stderr.write(`${describe(after)}, right after the overload\n`);
  const calm = stages.find(({ share }) => share === 0.5) as Stage;
  const recovery = secondsToRecover(after, seconds, CALM_TIMES * calm.p99);
  process.stderr.write(`recovered after ${recovery} s\n`);
  for (const [what, count] of client.failures) process.stderr.write(`failed: ${what}, ${count}\n`);
  if (values.write) {
    const runtime = await createTestRuntime();
    const surroundings = await describeSurroundings(runtime);
    await runtime.stop();
    writeLoad({
      surroundings,
      capacity,
      stages,
      recovery,
      api: values.api,
      workers: values.workers,
    });
  }
} finally {
  await client.close();
  await market.stop();
}

async function warmUp(): Promise<void> {
  let before = 0;
  for (let window = 0; window < WARM_UP.atMost; window += 1) {
    const now = await client.capacity(CALLERS, WARM_UP.windowSeconds);
    if (Math.abs(now - before) <= WARM_UP.difference * now) return;
    before = now;
  }
}

function describe({ share, perSecond, taken, shed, failed, p50, p99, p999 }: Stage): string {
  const ms = [p50, p99, p999].map((value) => value.toFixed(0)).join(', ');
  return `${Math.round(share * 100)} %: ${Math.round(perSecond)} requests/s due, ${Math.round(taken)} taken, ${shed} shed, ${failed} failed; p50, p99, p99.9 ${ms} ms`;
}
