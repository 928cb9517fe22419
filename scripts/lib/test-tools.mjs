import { spawnSync } from 'node:child_process';
import { aptInstall } from './apt-install.mjs';
import { findProgram } from './redis-install.mjs';

/** The programs and Perl modules that tests use, each with its Debian package. */
const PACKAGES = {
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

export const testTools = Object.keys(PACKAGES);

const isThere = (tool) =>
  tool.includes('::')
    ? spawnSync('perl', [`-M${tool}`, '-e', '1']).status === 0
    : findProgram(tool) !== undefined;

/** Returns which of these tools this machine lacks. */
export const missingTools = (tools = testTools) => tools.filter((tool) => !isThere(tool));

/** Returns the Debian packages that contain these tools. */
export const packagesOf = (tools) => tools.map((tool) => PACKAGES[tool]);

/** Installs missing tools if we have permission; returns those that are still missing. */
export async function installTestTools() {
  const missing = missingTools();
  if (missing.length === 0) return [];
  await aptInstall(packagesOf(missing));
  return missingTools(missing);
}
