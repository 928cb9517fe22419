// Runs a command on a different Node version: the one we ship (.nvmrc) or the oldest supported one (package.json).
// `node scripts/on-node.mjs shipped npm test`, `node scripts/on-node.mjs oldest npm run test:core`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ensureDependencies } from './lib/dependencies.mjs';
import { nodeProgram } from './lib/node-package.mjs';
import { runProcess } from './lib/processes.mjs';
import { main, projectRoot, say, UserError } from './lib/project.mjs';
import { withShutdown } from './lib/shutdown.mjs';

const read = (file) => readFileSync(path.join(projectRoot, file), 'utf8');

const VERSIONS = {
  shipped: () => read('.nvmrc').trim(),
  oldest: () => `${JSON.parse(read('package.json')).engines.node.replace('>=', '')}.0`,
};

await main(() =>
  withShutdown(async (shutdown) => {
    const [, , which, command, ...args] = process.argv;
    if (!VERSIONS[which] || !command) {
      throw new UserError(
        'Say which Node, and a command: node scripts/on-node.mjs shipped npm test',
      );
    }
    await ensureDependencies();
    const version = VERSIONS[which]();
    const folder = path.dirname(await nodeProgram(version, shutdown));
    // These variables, set by npm, point to the Node that runs this script.
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
