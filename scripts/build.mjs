// Builds the programs of a production into dist/; `sh scripts/run.sh` does so, too, where that was not done.
import { builtProgram } from './lib/build.mjs';
import { main } from './lib/project.mjs';

await main(async () => {
  for (const program of ['api/main.ts', 'workers/main.ts', 'api/ops/cli.ts'])
    await builtProgram(program);
});
