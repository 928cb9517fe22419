import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const EXAMPLES = fileURLToPath(new URL('../../docs/examples/', import.meta.url));

/** The languages of the samples, and what runs them. */
const RUNTIMES = {
  curl: { program: 'bash', version: ['--version'] },
  typescript: { program: process.execPath, version: ['--version'] },
  python: { program: 'python3', version: ['--version'] },
  go: { program: 'go', version: ['version'] },
  php: { program: 'php', version: ['--version'] },
} as const;

export type Language = keyof typeof RUNTIMES;
export const LANGUAGES = Object.keys(RUNTIMES) as Language[];

/** The languages that this machine can run. */
export function installedLanguages(): Language[] {
  return LANGUAGES.filter((language) => {
    const { program, version } = RUNTIMES[language];
    return spawnSync(program, version, { stdio: 'ignore' }).status === 0;
  });
}

/** Runs a program to its end, and tells what it printed. */
export function run(
  language: Language,
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string; cwd?: string } = {},
): Promise<{ code: number | null; output: string; errors: string }> {
  const { NODE_OPTIONS: _jestOnly, ...inherited } = process.env;
  const child = spawn(RUNTIMES[language].program, args, {
    cwd: options.cwd ?? EXAMPLES,
    env: { ...inherited, ...options.env },
    stdio: 'pipe',
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  // A program that does not read its input has closed it.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output, errors }));
  });
}
