import { tsx } from './application.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { runProcess } from './processes.mjs';
import { main, projectRoot } from './project.mjs';
import { startServices } from './services.mjs';
import { withShutdown } from './shutdown.mjs';
import { testEnv } from './test-services.mjs';

/**
 * Runs a program from `measure/` with this process's arguments, against its own temporary Postgres and Redis.
 * `durable` writes to disk as production does.
 */
export function runMeasurement(program, { durable = false } = {}) {
  return main(() =>
    withShutdown(async (shutdown) => {
      await ensureDependencies();
      const services = await startServices(shutdown, { ephemeral: true, durable });
      const env = testEnv(shutdown, services);
      const args = tsx(program, ...process.argv.slice(2));
      const result = await runProcess(process.execPath, args, {
        cwd: projectRoot,
        env,
        shutdown,
        crashCleanup: env.DATA_DIR,
      });
      return result.code ?? 1;
    }),
  );
}
