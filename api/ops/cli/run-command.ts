import { userInfo } from 'node:os';
import { Command, CommanderError } from 'commander';
import { Type } from 'typebox';
import { openInfrastructure } from '../../../shared/operations/infrastructure.ts';
import { inTime } from '../../../shared/platform/concurrency/deadline.ts';
import { ConfigError, loadConfig } from '../../../shared/platform/config/config.ts';
import { READ_ONLY_SQLSTATE } from '../../../shared/platform/database/database-errors.ts';
import { type FieldError, fail, ServiceError } from '../../../shared/platform/errors.ts';
import { createLogger } from '../../../shared/platform/observability/logger.ts';
import { isRedisUnavailable, untilReady } from '../../../shared/platform/redis/redis.ts';
import { terminalJson, terminalLines } from '../../../shared/platform/terminal-text.ts';
import { composeApi } from '../../compose-api.ts';
import { toServiceError } from '../../http/error-response.ts';
import { bodyValidator, oneLineValidator } from '../../http/validate.ts';
import { domainGrant } from '../actions/domain-actions.ts';
import { settlementRun, settlementRunAndWait } from '../actions/settlement-actions.ts';
import type { OpsAction, OpsContext } from '../ops-action.ts';
import { opsRoutes } from '../ops-routes.ts';
import {
  addOptions,
  flagOf,
  readInput,
  readSecret,
  type SecretSource,
  secretArgumentError,
  secretFields,
} from './command-options.ts';
import { formatAnswer } from './command-output.ts';
import { demoDisable, devCredentials } from './demo-commands.ts';
import {
  domainGrantFromFile,
  listingImport,
  screeningImport,
  tldImport,
  transferPolicyImport,
} from './import-commands.ts';
import { searchRebuild, secretsReencrypt } from './maintenance-commands.ts';

/** Commands that do more than the HTTP action of the same name. */
const EXTENDED: ReadonlyMap<OpsAction, OpsAction> = new Map<OpsAction, OpsAction>([
  [settlementRun, settlementRunAndWait],
  [domainGrant, domainGrantFromFile],
]);

/** Commands that need access to this machine: the ops API does not have them. */
export const LOCAL_COMMANDS: readonly OpsAction[] = [
  listingImport,
  searchRebuild,
  secretsReencrypt,
  tldImport,
  transferPolicyImport,
  screeningImport,
  devCredentials,
  demoDisable,
];

/** Every command, in help order. Building the program fails if two have the same name. */
export const COMMANDS: readonly OpsAction[] = [
  ...opsRoutes.map(({ action }) => EXTENDED.get(action) ?? action),
  ...LOCAL_COMMANDS,
];

/** The environment of a command: its configuration, input and output. */
export interface Shell {
  /** Defaults to the environment of the process. */
  env?: NodeJS.ProcessEnv;
  /** The source of secrets. */
  stdin: SecretSource;
  /** Characters per line of the terminal. */
  width?: number | undefined;
  stdout(text: string): Promise<void>;
  stderr(text: string): Promise<void>;
}

/** Runs `ops <args>` and returns the exit status. Never throws: failures are printed on standard error. */
export async function runCommand(args: readonly string[], shell: Shell): Promise<number> {
  const json = args.includes('--json');
  let exitCode = 0;
  const help: string[] = [];
  const program = new Command('ops')
    .description('Runs the marketplace: partners, listings, orders, settlements.')
    .usage('<command> [options] [--json]')
    .exitOverride()
    .configureOutput({ writeOut: (text) => help.push(text), writeErr: () => {} });

  for (const action of COMMANDS) {
    const command = program.command(action.name).description(action.summary);
    addOptions(command, action.input);
    command.option('--json', 'Print one JSON object; errors too, on standard error');
    command.allowExcessArguments(false).action(async () => {
      const input = await inputOf(action, readInput(command, action.input), shell);
      const answer = await withContext(shell.env, action.redis, (context) =>
        action.run(context, input),
      );
      exitCode = action.exitCode?.(answer) ?? 0;
      const { columns } = action;
      const text = json
        ? terminalJson(JSON.stringify(answer))
        : formatAnswer(answer, { width: shell.width, columns });
      await shell.stdout(`${text}\n`);
    });
  }

  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    // Requested help is a success; help shown because of a missing command is an error.
    if (thrown instanceof CommanderError && thrown.exitCode === 0) {
      await shell.stdout(help.join(''));
      return 0;
    }
    const error = describeFailure(thrown instanceof CommanderError ? usageError(thrown) : thrown);
    const text = json
      ? terminalJson(JSON.stringify({ error }))
      : terminalLines(`Error (${error.code}): ${error.message}`);
    await shell.stderr(`${text}\n`);
    return 1;
  }
}

/** Validates the input of a command; asks for secrets once everything else is valid. */
async function inputOf(
  { input }: OpsAction,
  given: Record<string, unknown>,
  shell: Shell,
): Promise<unknown> {
  const secrets = secretFields(input);
  const shown = secrets.find((field) => given[field] !== undefined);
  if (shown) throw secretArgumentError(shown);
  if (secrets.length > 0) bodyValidator(Type.Omit(input, secrets))(given);
  const read: [string, string][] = [];
  for (const field of secrets) {
    read.push([field, await readSecret(field, shell.stdin, shell.stderr)]);
  }
  return oneLineValidator(input, bodyValidator(input))({ ...given, ...Object.fromEntries(read) });
}

function usageError(thrown: CommanderError) {
  const said = thrown.message
    .replace(/^error: /, '')
    .replace(/\.?$/, '')
    .replace(/\n/g, ' ');
  if (thrown.code === 'commander.unknownCommand') return fail('not_found', { message: `${said}.` });
  const message =
    thrown.code === 'commander.help'
      ? 'No command given'
      : said.replace(/^./, (c) => c.toUpperCase());
  return fail('validation_error', {
    message: `${message}. Run --help for a list of commands and options.`,
  });
}

/** How long to wait for Redis before an announcement is skipped and caches expire by themselves. */
const ANNOUNCE_MS = 1_000;
const ASK_MS = 10_000;
const STOP_MS = 2_000;

/** Runs `work` with its own runtime. Postgres must be available; Redis only as far as the action needs it. */
async function withContext<T>(
  env: NodeJS.ProcessEnv | undefined,
  redisNeed: OpsAction['redis'],
  work: (context: OpsContext) => Promise<T>,
): Promise<T> {
  const log = createLogger({ level: 'silent', name: 'ops' });
  const runtime = composeApi(
    openInfrastructure(loadConfig(env, { makesKey: false }), {
      process: 'ops',
      log,
      patient: true,
    }),
  );
  try {
    if (redisNeed === 'publishes') await untilReady(runtime.redis, ANNOUNCE_MS).catch(() => {});
    if (redisNeed === 'requires' && !(await within(ASK_MS, runtime.ready()))) {
      throw fail('service_unavailable', { message: `Redis does not answer. ${CHECK_REDIS}` });
    }
    return await work({ ...runtime, actor: actorOfShell() });
  } finally {
    // Without Redis some connections never finish closing; the process exits anyway.
    await within(STOP_MS, runtime.stop());
  }
}

/** Returns whether `work` succeeded in time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  return inTime(work, ms).then(
    () => true,
    () => false,
  );
}

function actorOfShell(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    return 'cli';
  }
}

/** The output of a failed command: the error envelope of the APIs, without a request id. */
interface CommandError {
  code: string;
  message: string;
  details?: unknown;
}

/** Returns the envelope for any thrown error; option names replace field paths. */
function describeFailure(thrown: unknown): CommandError {
  if (thrown instanceof ConfigError) {
    return { code: 'validation_error', message: thrown.message, details: thrown.faults };
  }
  const error = toServiceError(thrown);
  if (error.code === 'service_unavailable' && !(thrown instanceof ServiceError)) {
    return { code: error.code, message: adviceOn(thrown) };
  }
  if (error.code === 'internal_error') {
    return { code: error.code, message: `The command failed: ${withoutStatement(thrown)}` };
  }
  if (error.code === 'validation_error') {
    const faults = ((error.details ?? []) as FieldError[]).map((fault) => ({
      path: asOption(fault.path),
      message: fault.message.replace(/(?<=^or )\/\w+/, asOption),
    }));
    const message = faults
      .map(({ path, message }) => `${inWords(path)} ${message}`.trim())
      .join('; ');
    return {
      code: error.code,
      message: message || error.message,
      ...(faults.length > 0 && { details: faults }),
    };
  }
  const { code, message, details } = error;
  return { code, message, ...(details !== undefined && { details }) };
}

const CHECK_REDIS = 'Check that it is running and that REDIS_URL is right, then run this again.';

/** Says what an operator does about a database that is away, since they run it themselves. */
function adviceOn(thrown: unknown): string {
  const said = withoutStatement(thrown);
  if (isRedisUnavailable(thrown)) return `Redis cannot be used (${said}). ${CHECK_REDIS}`;
  const { code } = thrown as { code?: string };
  if (code === '53100')
    return `Postgres has no disk space left (${said}). Enlarge its volume, then run this again.`;
  if (code === READ_ONLY_SQLSTATE)
    return `Postgres is read-only (${said}). Point DATABASE_URL at the primary, then run this again.`;
  return `Postgres could not do this (${said}). Check that it is running and that DATABASE_URL is right, then run this again.`;
}

/** Converts the path of a field to its option: `/key_id/0` to `--key-id/0`. */
function asOption(path: string): string {
  return path.replace(/^\/(\w+)/, (_match, field: string) => flagOf(field));
}

/** Rewrites an option for people: `--scopes/1` is its second value. */
function inWords(path: string): string {
  return path.replace(/\/(\d+)/, (_match, at: string) => ` (value ${Number(at) + 1})`);
}

/** Returns a database error's message without the statement that knex puts before it. */
function withoutStatement(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split(' - ').at(-1) ?? text;
}
