// Regenerates db/schema.sql to include new migrations, using a temporary Postgres.
import path from 'node:path';
import { tsx } from './lib/application.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { describeExit, runProcess } from './lib/processes.mjs';
import { main, projectRoot, UserError } from './lib/project.mjs';
import { startServices } from './lib/services.mjs';
import { withShutdown } from './lib/shutdown.mjs';
import { testEnv } from './lib/test-services.mjs';

await main(() => withShutdown(writeSchema));

async function writeSchema(shutdown) {
  await ensureDependencies();
  const services = await startServices(shutdown, { ephemeral: true });
  const env = testEnv(shutdown, services);
  Object.assign(env, { DATABASE_URL: services.postgres.url, REDIS_URL: services.redis.url });
  const script = path.join(projectRoot, 'db/dump-schema.ts');
  const result = await runProcess(process.execPath, tsx(script), {
    cwd: projectRoot,
    env,
    shutdown,
  });
  if (result.code !== 0) throw new UserError(`It was not written (${describeExit(result)}).`);
}
