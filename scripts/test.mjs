// Runs the tests (jest) against a Postgres and a Redis of their own, and leaves nothing behind.
// Arguments go to jest: `npm test -- test/unit`, `npm test -- -t "replays"`.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureDependencies } from './lib/dependencies.mjs';
import { describeExit, startProcess } from './lib/processes.mjs';
import { main, projectRoot } from './lib/project.mjs';
import { startServices } from './lib/services.mjs';
import { createShutdown } from './lib/shutdown.mjs';
import { dropDatabases, testEnv } from './lib/test-services.mjs';

await main(async () => {
  await ensureDependencies();
  const shutdown = createShutdown();
  try {
    const services = await startServices(shutdown, { ephemeral: true });
    const runId = randomBytes(4).toString('hex');
    if (services.postgres.external) {
      shutdown.add(() => dropDatabases(services.postgres.url, `dm_test_${runId}`));
    }
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'dm-test-'));
    shutdown.add(async () => rmSync(dataDir, { recursive: true, force: true }));
    const env = testEnv(services, { runId, dataDir });
    env.NODE_ENV = 'test';
    env.NODE_OPTIONS = [
      process.env.NODE_OPTIONS,
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
    ]
      .filter(Boolean)
      .join(' ');
    const jest = startProcess(
      process.execPath,
      [path.join(projectRoot, 'node_modules/jest/bin/jest.js'), ...process.argv.slice(2)],
      {
        cwd: projectRoot,
        env,
        stdio: ['ignore', 'inherit', 'inherit'],
        crashCleanup: dataDir,
      },
    );
    shutdown.add(() => jest.stop());
    const result = await jest.exited;
    if (result.code === null) process.stderr.write(`jest ended by ${describeExit(result)}\n`);
    return result.code ?? 1;
  } finally {
    await shutdown.run();
  }
});
