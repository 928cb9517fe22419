import path from 'node:path';
import { buildPrograms } from './build.mjs';
import { describeExit, runProcess } from './processes.mjs';
import { projectRoot } from './project.mjs';
import { startServices } from './services.mjs';
import { testEnv } from './test-services.mjs';

/** Runs jest against its own Postgres and Redis; returns its exit code. */
export async function runJest(shutdown, args, more = {}) {
  // Before a full run, so that no test has to wait for a build. In a partial run, tests build what they need.
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
