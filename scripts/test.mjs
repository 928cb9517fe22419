// Runs the tests (jest) against a Postgres and a Redis of their own, and leaves nothing behind.
// Arguments go to jest: `npm test -- test/unit`, `npm test -- -t "replays"`.
import path from 'node:path';
import { ensureDependencies } from './lib/dependencies.mjs';
import { describeExit, runProcess } from './lib/processes.mjs';
import { main, projectRoot } from './lib/project.mjs';
import { startServices } from './lib/services.mjs';
import { withShutdown } from './lib/shutdown.mjs';
import { testEnv } from './lib/test-services.mjs';

await main(() => withShutdown(runTests));

async function runTests(shutdown) {
  await ensureDependencies();
  const services = await startServices(shutdown, { ephemeral: true });
  const env = testEnv(shutdown, services);
  env.NODE_ENV = 'test';
  env.NODE_OPTIONS = [
    process.env.NODE_OPTIONS,
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
  ]
    .filter(Boolean)
    .join(' ');
  const jest = path.join(projectRoot, 'node_modules/jest/bin/jest.js');
  const result = await runProcess(process.execPath, [jest, ...process.argv.slice(2)], {
    cwd: projectRoot,
    env,
    shutdown,
    crashCleanup: env.DATA_DIR,
  });
  if (result.code === null && !shutdown.requested) {
    process.stderr.write(`jest ended by ${describeExit(result)}\n`);
  }
  return result.code ?? 1;
}
