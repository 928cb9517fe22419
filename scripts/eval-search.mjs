// Measures the quality of search on labelled queries, on a Postgres and a Redis of its own.
// Arguments go to the evaluation: `npm run eval:search -- --set tuning --failures`.
import { tsx } from './lib/application.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { runProcess } from './lib/processes.mjs';
import { main, projectRoot } from './lib/project.mjs';
import { startServices } from './lib/services.mjs';
import { withShutdown } from './lib/shutdown.mjs';
import { testEnv } from './lib/test-services.mjs';

await main(() => withShutdown(runEvaluation));

async function runEvaluation(shutdown) {
  await ensureDependencies();
  const services = await startServices(shutdown, { ephemeral: true });
  const env = testEnv(shutdown, services);
  const args = tsx('test/search/main.ts', ...process.argv.slice(2));
  const result = await runProcess(process.execPath, args, {
    cwd: projectRoot,
    env,
    shutdown,
    crashCleanup: env.DATA_DIR,
  });
  return result.code ?? 1;
}
