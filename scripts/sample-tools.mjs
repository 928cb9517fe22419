// Provides the tools to run the documentation's samples in every language, test its alert rules, and query the demo
// registry with a third-party client. Installs what is missing if it has permission, and otherwise lists it. For CI
// machines, where no test may be skipped.
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
