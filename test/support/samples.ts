import { spawn } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { using } from './machine-tools.ts';
import { readProjectFile } from './sources.ts';

/** The languages of the samples, by their names on a page, with the programs they need besides Node. */
const LANGUAGES = {
  curl: ['curl', 'openssl'],
  Shell: ['openssl'],
  TypeScript: [],
  Python: ['python3'],
  Go: ['go'],
  PHP: ['php'],
} as const;

export type Language = keyof typeof LANGUAGES;

export interface Sample {
  language: Language;
  /** The file's name when a reader saves it. */
  file: string;
  code: string;
  /** The page's note about it. */
  note: string;
}

/** Returns the sample files that a documentation page lists, one per language. */
export function samplesOf(page: string): Sample[] {
  const [, list = ''] = readProjectFile(page).split('<!-- samples -->\n\n');
  const [entries = ''] = list.split('\n\n');
  return [...entries.matchAll(/^- \[(.+?)\]\((.+?)\)\. (.+)$/gm)].map(
    ([, language, path = '', note = '']) => ({
      language: language as Language,
      file: basename(path),
      code: readProjectFile(join(dirname(page), path)),
      note,
    }),
  );
}

/** Third-party compilers may start with an empty build cache. */
const BUILDS_MS = 480_000;

/** Defines a test for each sample, with its language after the title. */
export function testEach(
  samples: readonly Sample[],
  title: string,
  run: (sample: Sample) => Promise<void>,
): void {
  for (const sample of samples) {
    const { language } = sample;
    using(...LANGUAGES[language]).it(`${title}: ${language}`, () => run(sample), BUILDS_MS);
  }
}

export interface Ran {
  code: number | null;
  output: string;
  errors: string;
}

/** Runs a command line like a reader's shell, and returns its output. Nothing is downloaded. */
export function runCommand(
  line: string,
  options: { cwd: string; env?: Record<string, string>; input?: string },
): Promise<Ran> {
  const { NODE_OPTIONS: _jestOnly, ...inherited } = process.env;
  const child = spawn('bash', ['-c', line], {
    cwd: options.cwd,
    env: {
      ...inherited,
      GOPROXY: 'off',
      npm_config_offline: 'true',
      npm_config_loglevel: 'error',
      ...options.env,
    },
    stdio: 'pipe',
  });
  const ran: Ran = { code: null, output: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    ran.output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    ran.errors += text;
  });
  // A program that does not read its input has closed it.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...ran, code }));
  });
}
