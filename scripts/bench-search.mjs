// Measures the speed of search at 10,000, 100,000 and 1,000,000 names, on a durable Postgres and a Redis of its own.
// Arguments are sizes: `npm run bench:search -- 100000`.
import { tsx } from './lib/application.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { runProcess } from './lib/processes.mjs';
import { main, projectRoot } from './lib/project.mjs';
import { startServices } from './lib/services.mjs';
import { withShutdown } from './lib/shutdown.mjs';
import { testEnv } from './lib/test-services.mjs';

await main(() => withShutdown(runBenchmark));

async function runBenchmark(shutdown) {
  await ensureDependencies();
  const services = await startServices(shutdown, { ephemeral: true, durable: true });
  const env = testEnv(shutdown, services);
  const args = tsx('test/bench/search.ts', ...process.argv.slice(2));
  const result = await runProcess(process.execPath, args, {
    cwd: projectRoot,
    env,
    shutdown,
    crashCleanup: env.DATA_DIR,
  });
  return result.code ?? 1;
}
