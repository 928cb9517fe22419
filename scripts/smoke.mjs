// Automates a new colleague's first five minutes: npm start, the first calls, Ctrl-C, nothing left running.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureDependencies } from './lib/dependencies.mjs';
import { freePort, isPortFree } from './lib/ports.mjs';
import { commandOf, processTree, stillRunning } from './lib/process-table.mjs';
import { describeExit, runProcess } from './lib/processes.mjs';
import { main, projectRoot, say, sleep, UserError } from './lib/project.mjs';
import { findProgram } from './lib/redis-install.mjs';
import { withShutdown } from './lib/shutdown.mjs';

await main(() => withShutdown(smoke));

async function smoke(shutdown) {
  await ensureDependencies();
  const work = mkdtempSync(path.join(os.tmpdir(), 'dm-smoke-'));
  chmodSync(work, 0o755);
  shutdown.add(async () => rmSync(work, { recursive: true, force: true }));
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const dataDir = path.join(work, 'data');
  const env = { ...process.env, PORT: String(port), BASE_URL: baseUrl, DATA_DIR: dataDir };
  const run = (command, args, options) =>
    capture(command, args, { cwd: projectRoot, env, shutdown, ...options });

  const server = startServer(env);
  shutdown.add(() => server.kill());
  try {
    await step('npm start prints its banner', 120, () => server.printed(/^ {2}-H .*Signature.*$/m));
    for (const probe of ['healthz', 'readyz']) {
      await step(`GET /${probe}`, 10, () => expectStatus(`${baseUrl}/${probe}`, 200));
    }
    await step('dev:credentials finds the running marketplace', 60, async () => {
      const args = ['run', '--silent', 'ops', '--', 'dev:credentials', '--json'];
      const { credentials } = JSON.parse(await run('npm', args));
      if (!credentials.some((each) => each.environment === 'SANDBOX')) {
        throw new UserError('It knows no sandbox key.');
      }
    });
    await step("the banner's signed call answers 200", 30, async () => {
      writeFileSync(path.join(work, '.curlrc'), 'write-out = "\\n%{http_code}\\n"\n');
      const call = server.output().match(/^KEY_ID=[\s\S]*?^ {2}-H .*Signature.*$/m)?.[0];
      const printed = await run('bash', ['-c', call], { env: { ...env, CURL_HOME: work } });
      if (!printed.trimEnd().endsWith('200')) throw new UserError(`It answered:\n${printed}`);
    });
    if (!findProgram('python3')) throw new UserError("python3 is needed for the README's walk.");
    await step("the README's five minutes, as pasted", 120, () =>
      run('bash', ['-euc', readmeWalk(dataDir)], { stdio: ['ignore', 'inherit', 'inherit'] }),
    );
    const tree = processTree(server.pid);
    await step('Ctrl-C ends it', 60, () => server.interrupt());
    await step('nothing is left of it', 10, () => expectNothingLeft(tree, port));
  } catch (error) {
    process.stderr.write(`\nWhat npm start printed last:\n${server.output().slice(-4_000)}\n`);
    throw error;
  }
  say('\nSmoke: passed');
}

/** Returns the commands of the README's five-minute tour, with a different data folder. */
function readmeWalk(dataDir) {
  const readme = readFileSync(path.join(projectRoot, 'README.md'), 'utf8');
  const [, section = ''] = /^## Five minutes\n([\s\S]*?)^## /m.exec(readme) ?? [];
  const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  if (blocks.length === 0) throw new UserError('README.md has no five minutes to walk.');
  return blocks.join('').replaceAll(' .data/', ` ${dataDir}/`);
}

/** Runs one step with a deadline in seconds, and prints how long it took. */
async function step(name, seconds, action) {
  const startedAt = Date.now();
  let timer;
  const deadline = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${seconds} s`)), seconds * 1_000);
  });
  try {
    const result = await Promise.race([action(), deadline]);
    say(`ok    ${name} (${((Date.now() - startedAt) / 1_000).toFixed(1)} s)`);
    return result;
  } catch (error) {
    throw new UserError(`FAILED ${name}: ${error.message}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `npm start` in its own process group, so that we can interrupt it like a terminal does. */
function startServer(env) {
  const npm = spawn('npm', ['start'], {
    cwd: projectRoot,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  const exited = new Promise((resolve) => {
    npm.once('error', (error) => resolve({ error }));
    npm.once('exit', (code, signal) => resolve({ code, signal }));
  });
  let ended;
  exited.then((result) => {
    ended = result;
  });
  const interrupt = async () => {
    process.kill(-npm.pid, 'SIGINT');
    await exited;
  };
  return {
    pid: npm.pid,
    output: () => output,
    interrupt,
    async printed(pattern) {
      while (!pattern.test(output)) {
        if (ended) throw new Error(`it ended (${describeExit(ended)})`);
        await sleep(100);
      }
    },
    /** Cleans up after a failed run: first SIGINT, then SIGKILL. */
    async kill() {
      if (ended) return;
      const tree = processTree(npm.pid);
      await Promise.race([interrupt(), sleep(40_000)]);
      for (const pid of stillRunning(tree)) process.kill(pid, 'SIGKILL');
    },
  };
}

/** Returns what a command prints. @throws Error if it fails */
async function capture(command, args, options) {
  const result = await runProcess(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
  if (result.code !== 0) throw new Error(`${describeExit(result)}\n${result.stdout}`);
  return result.stdout;
}

async function expectStatus(url, status) {
  const response = await fetch(url);
  if (response.status !== status) throw new Error(`${response.status} ${await response.text()}`);
}

async function expectNothingLeft(tree, port) {
  const deadline = Date.now() + 5_000;
  for (;;) {
    const left = stillRunning(tree);
    const free = await isPortFree(port);
    if (left.length === 0 && free) return;
    if (Date.now() > deadline) {
      throw new Error(
        left.length > 0 ? `still there: ${left.map(commandOf)}` : 'the port is taken',
      );
    }
    await sleep(100);
  }
}
