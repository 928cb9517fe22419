// Sees to it that the samples of the documentation can be run in every language, and its alert rules tried:
// installs what is missing where that needs nobody's leave, and says what is missing otherwise. For machines
// that check changes.
import { aptInstall } from './lib/apt-install.mjs';
import { main, say, UserError } from './lib/project.mjs';
import { findProgram } from './lib/redis-install.mjs';

/** Each program with its package in Debian. */
const TOOLS = {
  curl: 'curl',
  openssl: 'openssl',
  python3: 'python3',
  go: 'golang-go',
  php: 'php-cli',
  promtool: 'prometheus',
  dkimverify: 'python3-dkim',
  pdftotext: 'poppler-utils',
  qpdf: 'qpdf',
};

const missing = () => Object.keys(TOOLS).filter((program) => !findProgram(program));

await main(async () => {
  if (missing().length > 0) await aptInstall(missing().map((program) => TOOLS[program]));
  const still = missing();
  if (still.length > 0) {
    throw new UserError(
      `The samples and alert rules of the documentation are tried with ${still.join(', ')}, which this machine lacks. Install ${still.map((program) => TOOLS[program]).join(', ')}.`,
    );
  }
  say(`The samples and alert rules can be tried: ${Object.keys(TOOLS).join(', ')}`);
});
