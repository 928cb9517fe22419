import { Readable } from 'node:stream';
import { runCommand } from '../../api/ops/cli/run-command.ts';
import type { TestRuntime } from './runtime.ts';
import { spawnProgram } from './service-process.ts';

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
  json: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
  error: any;
}

/** Runs `ops <args>` in this process: the same code, without the seconds it takes to start a process. */
export async function runOps(
  runtime: Pick<TestRuntime, 'env'>,
  args: readonly string[],
  env: Record<string, string> = {},
  stdin = '',
): Promise<CommandResult> {
  let stdout = '';
  let stderr = '';
  const code = await runCommand(args, {
    env: { ...runtime.env, ...env },
    stdin: Readable.from([Buffer.from(stdin)], { objectMode: false }),
    stdout: async (text) => {
      stdout += text;
    },
    stderr: async (text) => {
      stderr += text;
    },
  });
  return { code, stdout, stderr, json: parse(stdout), error: parse(stderr)?.error };
}

/** Runs `npm run ops -- <args>` as its own process, against the marketplace of `runtime`. */
export async function spawnOps(
  runtime: Pick<TestRuntime, 'env'>,
  args: readonly string[],
  env: Record<string, string> = {},
  stdin = '',
): Promise<CommandResult> {
  const child = spawnProgram(['api/ops/cli.ts', ...args], { ...runtime.env, ...env }, 'pipe');
  // The process may exit before it reads its input.
  child.stdin?.on('error', () => {}).end(stdin);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, stdout, stderr, json: parse(stdout), error: parse(stderr)?.error };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
