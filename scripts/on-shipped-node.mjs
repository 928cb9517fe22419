// Runs a command on the Node version that we ship (.nvmrc), whichever runs this script:
// `node scripts/on-shipped-node.mjs npm run test:core`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ensureDependencies } from './lib/dependencies.mjs';
import { nodeProgram } from './lib/node-package.mjs';
import { runProcess } from './lib/processes.mjs';
import { main, projectRoot, say, UserError } from './lib/project.mjs';
import { withShutdown } from './lib/shutdown.mjs';

await main(() =>
  withShutdown(async (shutdown) => {
    const [, , command, ...args] = process.argv;
    if (!command) throw new UserError('Give a command: node scripts/on-shipped-node.mjs npm test');
    await ensureDependencies();
    const version = readFileSync(path.join(projectRoot, '.nvmrc'), 'utf8').trim();
    const folder = path.dirname(await nodeProgram(version, shutdown));
    // What npm told its scripts about itself names the other Node.
    const { npm_execpath: _, npm_node_execpath: __, ...inherited } = process.env;
    const env = { ...inherited, PATH: `${folder}${path.delimiter}${process.env.PATH}` };
    const asked = ['-p', 'process.version'];
    const { stdout } = await runProcess('node', asked, {
      env,
      shutdown,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (stdout.trim() !== `v${version}`) throw new UserError(`This would run on ${stdout.trim()}.`);
    say(`On Node ${version}: ${[command, ...args].join(' ')}`);
    return (
      (await runProcess(command, args, { cwd: projectRoot, env, shutdown, graceMs: 45_000 }))
        .code ?? 1
    );
  }),
);
