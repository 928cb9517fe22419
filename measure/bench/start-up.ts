import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { freePort } from '../../test/support/service-process.ts';
import { alternate, type Figure } from '../support/figures.ts';

const GIVE_UP_MS = 60_000;

/** Measures from the start of an API process to its first `200` on `/readyz`, against a bare Express process. */
export async function benchStartUp(): Promise<Figure> {
  const runtime = await createTestRuntime();
  try {
    const timed = (script: string) => () => untilReady(script, runtime.env);
    return {
      name: 'Start of an API process until it is ready, Postgres and Redis being up',
      unit: 'ms',
      limitName: 'bare Express, started the same way',
      lessIsBetter: true,
      goal: { most: 800 },
      ...(await alternate(
        timed('api/main.ts'),
        timed('measure/bench/support/bare-express-process.ts'),
        3,
      )),
    };
  } finally {
    await runtime.stop();
  }
}

async function untilReady(script: string, env: Record<string, string>): Promise<number> {
  const port = await freePort();
  const started = performance.now();
  const child = spawn('sh', ['scripts/run.sh', script], {
    env: { ...process.env, NODE: process.execPath, ...env, PORT: String(port), HOST: '127.0.0.1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await ready(child, port);
    return performance.now() - started;
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await gone;
    }
  }
}

async function ready(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode}`);
    const status = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await sleep(5);
  }
  throw new Error('the process was not ready in time');
}
