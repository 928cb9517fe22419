// Runs the tests (jest) against their own Postgres and Redis, and leaves nothing behind.
// Arguments are passed to jest: `npm test -- test/unit`, `npm test -- -t "replays"`.
import { ensureDependencies } from './lib/dependencies.mjs';
import { main } from './lib/project.mjs';
import { runJest } from './lib/run-jest.mjs';
import { withShutdown } from './lib/shutdown.mjs';
import { installTestTools } from './lib/test-tools.mjs';

await main(() =>
  withShutdown(async (shutdown) => {
    await ensureDependencies();
    const args = process.argv.slice(2);
    // A full run includes the tests that need tools of this machine. A report at the end lists those still missing.
    if (args.length === 0) await installTestTools();
    return runJest(shutdown, args);
  }),
);
