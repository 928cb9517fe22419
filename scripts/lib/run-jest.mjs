import path from 'node:path';
import { bundlePackages } from './bundled-packages.mjs';
import { describeExit, runProcess } from './processes.mjs';
import { projectRoot } from './project.mjs';
import { startServices } from './services.mjs';
import { testEnv } from './test-services.mjs';

/** Runs jest against a Postgres and a Redis of its own; gives its exit code. */
export async function runJest(shutdown, args, more = {}) {
  const services = await startServices(shutdown, { ephemeral: true });
  const env = testEnv(shutdown, services);
  env.NODE_ENV = 'test';
  const bundled = await bundlePackages(path.join(env.DATA_DIR, 'packages'));
  env.TEST_BUNDLED_PACKAGES = JSON.stringify(bundled);
  env.NODE_OPTIONS = [
    process.env.NODE_OPTIONS,
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
  ]
    .filter(Boolean)
    .join(' ');
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
