import path from 'node:path';
import { buildPrograms } from './build.mjs';
import { describeExit, runProcess } from './processes.mjs';
import { projectRoot } from './project.mjs';
import { startServices } from './services.mjs';
import { testEnv } from './test-services.mjs';

/** Runs jest against a Postgres and a Redis of its own; gives its exit code. */
export async function runJest(shutdown, args, more = {}) {
  // Before all tests, so that none waits for a build; of a few, those do that need one.
  if (!args.some((arg) => arg.startsWith('test/'))) await buildPrograms();
  const services = await startServices(shutdown, { ephemeral: true });
  const env = testEnv(shutdown, services);
  env.NODE_ENV = 'test';
  const jest = path.join(projectRoot, 'node_modules/jest/bin/jest.js');
  const result = await runProcess(process.execPath, [jest, ...args], {
    cwd: projectRoot,
    env: { ...env, ...more },
    shutdown,
    crashCleanup: env.DATA_DIR,
  });
  if (result.code === null && !shutdown.requested) {
    process.stderr.write(`jest ended by ${describeExit(result)}\n`);
  }
  return result.code ?? 1;
}
