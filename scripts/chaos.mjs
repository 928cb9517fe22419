// Runs the fault runs against a Postgres (durable, as in production) and Redis servers of their own.
// Arguments go to the runs: `npm run chaos -- F4 --seed 17`; `--help` lists them.
import { tsx } from './lib/application.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { runProcess } from './lib/processes.mjs';
import { main, projectRoot } from './lib/project.mjs';
import { startServices } from './lib/services.mjs';
import { withShutdown } from './lib/shutdown.mjs';
import { testEnv } from './lib/test-services.mjs';

await main(() => withShutdown(runFaults));

async function runFaults(shutdown) {
  await ensureDependencies();
  const services = await startServices(shutdown, { ephemeral: true, durable: true });
  const env = testEnv(shutdown, services);
  const args = tsx('test/chaos/main.ts', ...process.argv.slice(2));
  const result = await runProcess(process.execPath, args, {
    cwd: projectRoot,
    env,
    shutdown,
    crashCleanup: env.DATA_DIR,
  });
  return result.code ?? 1;
}
