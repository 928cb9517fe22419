import { Command, CommanderError } from 'commander';
import { Type } from 'typebox';
import { fail } from '../../../shared/platform/errors.ts';
import { terminalJson, terminalLines } from '../../../shared/platform/plain-text.ts';
import { bodyValidator } from '../../http/validate.ts';
import type { OpsAction } from '../action.ts';
import { demoDisable } from '../commands/demo-disable.ts';
import { devCredentials } from '../commands/dev-credentials.ts';
import { domainGrantFromFile } from '../commands/domain-grant.ts';
import { listingImport } from '../commands/listing-import.ts';
import { searchRebuild } from '../commands/search-rebuild.ts';
import { secretsReencrypt } from '../commands/secrets-reencrypt.ts';
import { settlementRunAndWait } from '../commands/settlement-run.ts';
import { tldImport } from '../commands/tld-import.ts';
import { opsRoutes } from '../routes.ts';
import { describeFailure } from './failure.ts';
import { addOptions, readInput, secretFields } from './options.ts';

import { formatAnswer } from './readable.ts';
import { readSecret, type SecretSource, secretArgumentError } from './secret.ts';
import { withContext } from './with-context.ts';

/** Every command: what ops can do over HTTP, and what needs this machine or more patience. */
const COMMANDS = new Map<string, OpsAction>(
  [
    ...opsRoutes.map((route) => route.action),
    listingImport,
    searchRebuild,
    secretsReencrypt,
    tldImport,
    settlementRunAndWait,
    domainGrantFromFile,
    devCredentials,
    demoDisable,
  ].map((action) => [action.name, action]),
);

/** Where a command finds its configuration, and where it says what it has to say. */
export interface Shell {
  /** The process's own when left out. */
  env?: NodeJS.ProcessEnv;
  /** Where secrets come from. */
  stdin: SecretSource;
  /** Characters of a line of the terminal. */
  width?: number | undefined;
  stdout(text: string): Promise<void>;
  stderr(text: string): Promise<void>;
}

/** Runs `ops <args>`; returns the exit status. Never throws: a failure is told on standard error. */
export async function runCommand(args: readonly string[], shell: Shell): Promise<number> {
  const json = args.includes('--json');
  let exitCode = 0;
  const help: string[] = [];
  const program = new Command('ops')
    .description('Runs the marketplace: partners, listings, orders, settlements.')
    .usage('<command> [options] [--json]')
    .exitOverride()
    .configureOutput({ writeOut: (text) => help.push(text), writeErr: () => {} });

  for (const action of COMMANDS.values()) {
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
    // Help that was asked for is the answer; help shown for want of a command is a mistake.
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

/** The checked input of a command; a secret is asked for when nothing else is wrong. */
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
  return bodyValidator(input)({ ...given, ...Object.fromEntries(read) });
}

function usageError(thrown: CommanderError) {
  const said = thrown.message.replace(/^error: /, '').replace(/\n/g, ' ');
  if (thrown.code === 'commander.unknownCommand') return fail('not_found', { message: `${said}.` });
  const message =
    thrown.code === 'commander.help'
      ? 'Name a command'
      : said.replace(/^./, (c) => c.toUpperCase());
  return fail('validation_error', { message: `${message}. --help says what there is.` });
}
