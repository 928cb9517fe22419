import { spawn, spawnSync } from 'node:child_process';
import { readProjectFile } from './sources.ts';

/** The languages of the samples, by the headings that they have on a page, and what runs them. */
const LANGUAGES_BY_HEADING = {
  curl: { program: 'curl', version: ['--version'] },
  'a shell': { program: 'openssl', version: ['version'] },
  TypeScript: { program: process.execPath, version: ['--version'] },
  Python: { program: 'python3', version: ['--version'] },
  Go: { program: 'go', version: ['version'] },
  PHP: { program: 'php', version: ['--version'] },
} as const;

export type Language = keyof typeof LANGUAGES_BY_HEADING;

export interface Sample {
  language: Language;
  /** The first block of code below the heading, as a reader copies it. */
  code: string;
  /** The text before it. */
  lead: string;
}

/** What a page of the documentation shows in each language. */
export function samplesOf(page: string): Sample[] {
  return readProjectFile(page)
    .split(/^#{2,3} (?:In )?/m)
    .flatMap((section) => {
      const end = section.indexOf('\n');
      const language = section.slice(0, end) as Language;
      const [, lead = '', code = ''] =
        /^([\s\S]*?)^```\w+\n([\s\S]*?)^```$/m.exec(section.slice(end)) ?? [];
      return language in LANGUAGES_BY_HEADING ? [{ language, code, lead }] : [];
    });
}

/**
 * The samples that this machine can run. Where changes are checked (CI), that is all of them: one whose
 * language is missing there fails.
 */
export function runnable(samples: readonly Sample[]): Sample[] {
  return samples.filter(({ language }) => {
    const { program, version } = LANGUAGES_BY_HEADING[language];
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
