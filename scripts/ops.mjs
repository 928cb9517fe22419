// Runs one ops command: against the running marketplace, or, when `npm start` is not running, against
// its databases, started for as long as the command takes.
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
    // As the commands themselves tell a failure.
    const { message } = error;
    process.stderr.write(
      `${JSON.stringify({ error: { code: 'service_unavailable', message } })}\n`,
    );
    return 1;
  }
  const result = await runProgram(['api/ops/cli.ts', ...args], {
    env,
    shutdown,
    // A password is typed, or comes from another program.
    stdio: 'inherit',
  });
  return result.code ?? 1;
}

/** Only a development instance has databases that are ours to start, and help needs none. */
function bringsItsOwn(args) {
  const asksForHelp = args.length === 0 || args.includes('--help') || args.includes('-h');
  const named = process.env.DATABASE_URL && process.env.REDIS_URL;
  return asksForHelp || named || process.env.NODE_ENV === 'production';
}

/** A running `npm start` tells where its databases are; without one they are started for the moment. */
async function findOrStartServices(shutdown) {
  const dataDir = existingDataDir();
  let lock = {};
  const isClear = () => {
    if (existsSync(path.join(dataDir, 'services.json'))) return true;
    lock = takeLock(path.join(dataDir, 'start.pid'));
    return !lock.holder;
  };
  // A start on its way, or another command like this one.
  const what = () => `process ${lock.holder}, which uses ${dataDir}`;
  await patientWait(isClear, { everyMs: 200, what });
  if (!lock.release) return process.env;
  const { postgres, redis } = await startServices(shutdown, { dataDir });
  const env = { ...process.env, DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const options = { cwd: projectRoot, env, shutdown, stdio: ['ignore', 'ignore', 'inherit'] };
  await runProcess(process.execPath, tsx('db/migrate.ts'), options);
  return env;
}
