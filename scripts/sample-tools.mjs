// Sees to it that the samples of the documentation can be run in every language, its alert rules tried, and the demo
// registry asked by a client that others wrote: installs what is missing where that needs nobody's leave, and says
// what is missing otherwise. For machines that check changes.
import { spawnSync } from 'node:child_process';
import { aptInstall } from './lib/apt-install.mjs';
import { main, say, UserError } from './lib/project.mjs';
import { findProgram } from './lib/redis-install.mjs';

/** Each program, and each module of Perl, with its package in Debian. */
const TOOLS = {
  curl: 'curl',
  openssl: 'openssl',
  python3: 'python3',
  go: 'golang-go',
  php: 'php-cli',
  promtool: 'prometheus',
  pgbouncer: 'pgbouncer',
  dkimverify: 'python3-dkim',
  pdftotext: 'poppler-utils',
  qpdf: 'qpdf',
  'Net::EPP::Simple': 'libnet-epp-perl',
};

const isThere = (tool) =>
  tool.includes('::')
    ? spawnSync('perl', [`-M${tool}`, '-e', '1']).status === 0
    : findProgram(tool);

const missing = () => Object.keys(TOOLS).filter((tool) => !isThere(tool));

await main(async () => {
  if (missing().length > 0) await aptInstall(missing().map((tool) => TOOLS[tool]));
  const still = missing();
  if (still.length > 0) {
    throw new UserError(
      `Tests use ${still.join(', ')}, which this machine lacks. Install ${still.map((tool) => TOOLS[tool]).join(', ')}.`,
    );
  }
  say(`There is all that tests use: ${Object.keys(TOOLS).join(', ')}`);
});
