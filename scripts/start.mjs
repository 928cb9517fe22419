// Starts the whole marketplace on this machine: dependencies, Postgres, Redis, migrations, demo data, the API and the
// workers. Ctrl-C stops everything; the data is kept for the next start.
// `npm start -- --api 4 --workers 4` runs four processes of each.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { keepRunning, runProgram, tsx, waitUntilReady } from './lib/application.mjs';
import { banner, sandboxKey } from './lib/banner.mjs';
import { startDemoRegistry } from './lib/demo-registry.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { writeSettings, writeShellSettings } from './lib/instance-settings.mjs';
import { takeLock } from './lib/lock.mjs';
import { freePort, stateOfPort } from './lib/ports.mjs';
import { describeExit, runProcess } from './lib/processes.mjs';
import {
  main,
  openDataDir,
  projectRoot,
  say,
  shellWord,
  sleep,
  UserError,
} from './lib/project.mjs';
import { startServices } from './lib/services.mjs';
import { withShutdown } from './lib/shutdown.mjs';

const leftoverPortMs = 30_000;
const mostProcesses = 64;

await main(() => withShutdown(start, { announce: '\nStopping ...' }));

async function start(shutdown) {
  const count = processCounts();
  const dataDir = openDataDir();
  const { tookOver } = lockDataDir(dataDir);
  const port = await choosePort(tookOver);
  await ensureDependencies();

  const services = await startServices(shutdown, { dataDir, restart: true });
  const registry =
    process.env.REGISTRAR_LIVE === 'epp-demo' ? await startDemoRegistry(shutdown, dataDir) : {};
  const env = { ...registry, ...applicationEnv(services, { dataDir, port }) };
  const production = env.NODE_ENV === 'production';
  const metricsPort = Number(env.METRICS_PORT) || undefined;
  if (!production) shareServices(shutdown, env);

  await runStep(shutdown, 'Migrating the database', env, 'db/migrate.ts');
  if (!production) await runStep(shutdown, 'Seeding the demo marketplace', env, 'db/seed.ts');

  const apps = [
    keepRunning('api', 'api/main.ts', { ...env, WEB_CONCURRENCY: String(count.api) }),
    ...Array.from({ length: count.workers }, (_, index) => {
      const name = count.workers === 1 ? 'worker' : `worker ${index + 1}`;
      // On one machine, each process needs its own metrics port. The API's processes come first.
      const ports = metricsPort && { METRICS_PORT: String(metricsPort + count.api + index) };
      return keepRunning(name, 'workers/main.ts', { ...env, ...ports });
    }),
  ];
  shutdown.add(() => Promise.all(apps.map((app) => app.stop())));
  const ending = new AbortController();
  const failure = Promise.race(apps.map((app) => app.failed)).then((message) => {
    ending.abort();
    throw new UserError(message);
  });
  const demo = production ? undefined : readDemoCredentials(shutdown, env);
  await Promise.race([waitUntilReady(port, ending.signal), failure]);
  for (const app of apps) app.settle();
  const accounts = await demo;
  say(
    banner({
      baseUrl: env.BASE_URL,
      production,
      metricsPort,
      dataDir,
      commandPrefix: process.env.DATA_DIR ? `DATA_DIR=${shellWord(process.env.DATA_DIR)} ` : '',
      demo: accounts,
      shellFile: shareSandboxKey(env, sandboxKey(accounts)),
    }),
  );
  await new Promise(() => {});
}

/** How many processes of each kind to run. */
function processCounts() {
  const { api = process.env.WEB_CONCURRENCY || '1', workers = '1' } = readOptions();
  const count = (option, text) => {
    const number = Number(text);
    if (/^[1-9]\d*$/.test(text) && number <= mostProcesses) return number;
    throw new UserError(`--${option} must be a number from 1 to ${mostProcesses}, not "${text}".`);
  };
  return { api: count('api', api), workers: count('workers', workers) };
}

function readOptions() {
  try {
    return parseArgs({ options: { api: { type: 'string' }, workers: { type: 'string' } } }).values;
  } catch (error) {
    throw new UserError(error.message);
  }
}

/** Makes sure that no two starts share a data directory. `tookOver` means that the last one crashed. */
function lockDataDir(dataDir) {
  const lock = takeLock(path.join(dataDir, 'start.pid'));
  if (!lock.holder) return lock;
  throw new UserError(
    `The marketplace of ${dataDir} is running already (process ${lock.holder}).\n` +
      'A second one needs a port and a data directory of its own:\n' +
      '  PORT=3001 DATA_DIR=.data-2 npm start',
  );
}

async function choosePort(afterCrash) {
  const text = process.env.PORT || '3000';
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new UserError(`PORT must be a number from 0 to 65535, not "${text}".`);
  }
  if (port === 0) return freePort();
  // Processes left over from a crashed start are being stopped, and may need a moment to release the port.
  const deadline = Date.now() + (afterCrash ? leftoverPortMs : 0);
  for (;;) {
    const state = await stateOfPort(port);
    if (state === 'free') return port;
    if (state === 'forbidden') {
      throw new UserError(
        `This user may not listen on port ${port}; ports below 1024 are usually reserved for root. Choose another port:\n` +
          '  PORT=3000 npm start\n' +
          'and have a reverse proxy pass requests on to it, or allow all users these ports (Linux):\n' +
          `  sudo sysctl net.ipv4.ip_unprivileged_port_start=${port}`,
      );
    }
    if (Date.now() >= deadline) {
      throw new UserError(
        `Port ${port} is in use by another program. Stop it, or choose another port:\n` +
          `  PORT=${port + 1} npm start`,
      );
    }
    await sleep(250);
  }
}

function applicationEnv({ postgres, redis }, { dataDir, port }) {
  return {
    ...process.env,
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    PORT: String(port),
    BASE_URL: process.env.BASE_URL || `http://localhost:${port}`,
    DATA_DIR: dataDir,
    NODE_ENV: process.env.NODE_ENV || 'development',
    LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
  };
}

/** Tells the `npm run ops` commands where the databases are while they are running. */
function shareServices(shutdown, env) {
  const file = path.join(env.DATA_DIR, 'services.json');
  writeSettings(file, {
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    baseUrl: env.BASE_URL,
  });
  shutdown.add(async () => rmSync(file, { force: true }));
}

/** Writes the sandbox key to a file for shells. Returns its path from the project root. */
function shareSandboxKey(env, key) {
  const file = path.join(env.DATA_DIR, 'sandbox.env');
  if (key) {
    writeShellSettings(file, { BASE_URL: env.BASE_URL, KEY_ID: key.key_id, SECRET: key.secret });
  }
  const inside = path.relative(projectRoot, file);
  return inside.startsWith('..') ? file : inside;
}

async function runStep(shutdown, title, env, script) {
  const result = await runProcess(process.execPath, tsx(script), {
    cwd: projectRoot,
    env,
    shutdown,
  });
  if (result.code !== 0) throw new UserError(`${title} failed (${describeExit(result)}).`);
}

async function readDemoCredentials(shutdown, env) {
  const args = ['api/ops/cli.ts', 'dev:credentials', '--json'];
  const { code, stdout } = await runProgram(args, {
    env,
    shutdown,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    return code === 0 ? JSON.parse(stdout) : undefined;
  } catch {
    return undefined;
  }
}
