import { spawn, spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { readProjectFile } from './sources.ts';

/** The languages of the samples, by the names that they have on a page, and what runs them. */
const LANGUAGES = {
  curl: { program: 'curl', version: ['--version'] },
  Shell: { program: 'openssl', version: ['version'] },
  TypeScript: { program: process.execPath, version: ['--version'] },
  Python: { program: 'python3', version: ['--version'] },
  Go: { program: 'go', version: ['version'] },
  PHP: { program: 'php', version: ['--version'] },
} as const;

export type Language = keyof typeof LANGUAGES;

export interface Sample {
  language: Language;
  /** The name that the file has where a reader saves it. */
  file: string;
  code: string;
  /** What the page says of it. */
  note: string;
}

/** The files that a page of the documentation lists as samples, one a language. */
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

/**
 * The samples that this machine can run. Where changes are checked (CI), that is all of them: one whose
 * language is missing there fails.
 */
export function runnable(samples: readonly Sample[]): Sample[] {
  return samples.filter(({ language }) => {
    const { program, version } = LANGUAGES[language];
    return process.env.CI || spawnSync(program, version, { stdio: 'ignore' }).status === 0;
  });
}

export interface Ran {
  code: number | null;
  output: string;
  errors: string;
}

/** Runs a command line as a reader's shell does, and tells what it printed. Nothing is downloaded. */
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
