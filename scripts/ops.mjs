// Runs one ops command against the running marketplace. If `npm start` is not running, starts its databases for as
// long as the command takes.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { runProgram, tsx } from './lib/application.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { takeLock } from './lib/lock.mjs';
import { patientWait } from './lib/patient-wait.mjs';
import { runProcess } from './lib/processes.mjs';
import { existingDataDir, main, projectRoot, UserError } from './lib/project.mjs';
import { startServices } from './lib/services.mjs';
import { withShutdown } from './lib/shutdown.mjs';

await main(() => withShutdown(runCommand));

async function runCommand(shutdown) {
  await ensureDependencies();
  const args = process.argv.slice(2);
  let env = process.env;
  try {
    if (!bringsItsOwn(args)) env = await findOrStartServices(shutdown);
  } catch (error) {
    if (!(error instanceof UserError && args.includes('--json'))) throw error;
    // The same format in which the commands report errors.
    const { message } = error;
    process.stderr.write(
      `${JSON.stringify({ error: { code: 'service_unavailable', message } })}\n`,
    );
    return 1;
  }
  const result = await runProgram(['api/ops/cli.ts', ...args], {
    env,
    shutdown,
    // Some commands read a password, typed or piped in.
    stdio: 'inherit',
  });
  return result.code ?? 1;
}

/** Whether there are no databases to start: we only do that for a development instance, and help needs none. */
function bringsItsOwn(args) {
  const asksForHelp = args.length === 0 || args.includes('--help') || args.includes('-h');
  const named = process.env.DATABASE_URL && process.env.REDIS_URL;
  return asksForHelp || named || process.env.NODE_ENV === 'production';
}

/** Uses the databases of a running `npm start`, or starts them for this command. */
async function findOrStartServices(shutdown) {
  const dataDir = existingDataDir();
  let lock = {};
  const isClear = () => {
    if (existsSync(path.join(dataDir, 'services.json'))) return true;
    lock = takeLock(path.join(dataDir, 'start.pid'));
    return !lock.holder;
  };
  // The holder is `npm start` still starting up, or another command like this one.
  const what = () => `process ${lock.holder}, which uses ${dataDir}`;
  await patientWait(isClear, { everyMs: 200, what });
  if (!lock.release) return process.env;
  const { postgres, redis } = await startServices(shutdown, { dataDir });
  const env = { ...process.env, DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const options = { cwd: projectRoot, env, shutdown, stdio: ['ignore', 'ignore', 'inherit'] };
  await runProcess(process.execPath, tsx('db/migrate.ts'), options);
  return env;
}
