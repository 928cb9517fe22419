// Writes the documentation tables that are generated from the code; `--check` only compares them.
import { ensureDependencies } from './lib/dependencies.mjs';
import { runProcess } from './lib/processes.mjs';
import { main, projectRoot } from './lib/project.mjs';
import { withShutdown } from './lib/shutdown.mjs';

await main(() =>
  withShutdown(async (shutdown) => {
    await ensureDependencies();
    const args = ['--import', 'tsx', 'scripts/docs/main.ts', ...process.argv.slice(2)];
    return (await runProcess(process.execPath, args, { cwd: projectRoot, shutdown })).code;
  }),
);
