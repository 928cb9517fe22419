// Runs the tests (jest) against a Postgres and a Redis of their own, and leaves nothing behind.
// Arguments go to jest: `npm test -- test/unit`, `npm test -- -t "replays"`.
import { ensureDependencies } from './lib/dependencies.mjs';
import { main } from './lib/project.mjs';
import { runJest } from './lib/run-jest.mjs';
import { withShutdown } from './lib/shutdown.mjs';

await main(() =>
  withShutdown(async (shutdown) => {
    await ensureDependencies();
    return runJest(shutdown, process.argv.slice(2));
  }),
);
