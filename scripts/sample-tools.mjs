// Sees to it that the samples of the documentation can be run in every language, its alert rules tried, and the demo
// registry asked by a client that others wrote: installs what is missing where that needs nobody's leave, and says
// what is missing otherwise. For machines that check changes, on which nothing may be skipped.
import { main, say, UserError } from './lib/project.mjs';
import { installTestTools, packagesOf, testTools } from './lib/test-tools.mjs';

await main(async () => {
  const missing = await installTestTools();
  if (missing.length > 0) {
    throw new UserError(
      `Tests use ${missing.join(', ')}, which this machine lacks. Install ${packagesOf(missing).join(', ')}.`,
    );
  }
  say(`There is all that tests use: ${testTools.join(', ')}`);
});
