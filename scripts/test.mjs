// Runs the tests (jest) against a Postgres and a Redis of their own, and leaves nothing behind.
// Arguments go to jest: `npm test -- test/unit`, `npm test -- -t "replays"`.
import { ensureDependencies } from './lib/dependencies.mjs';
import { main } from './lib/project.mjs';
import { runJest } from './lib/run-jest.mjs';
import { withShutdown } from './lib/shutdown.mjs';
import { installTestTools } from './lib/test-tools.mjs';

await main(() =>
  withShutdown(async (shutdown) => {
    await ensureDependencies();
    const args = process.argv.slice(2);
    // All tests: those, too, that use tools of this machine. What can't be installed is told at the end.
    if (args.length === 0) await installTestTools();
    return runJest(shutdown, args);
  }),
);
