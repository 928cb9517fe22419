import { Command, CommanderError } from 'commander';
import { fail } from '../../shared/platform/errors.ts';
import { bodyValidator } from '../http/validate.ts';
import type { OpsAction } from './action.ts';
import { addOptions, readInput } from './cli/options.ts';
import { describeFailure, readable } from './cli/print.ts';
import { withContext } from './cli/with-context.ts';
import { devCredentials } from './commands/dev-credentials.ts';
import { listingImport } from './commands/listing-import.ts';
import { settlementRunAndWait } from './commands/settlement-run.ts';
import { opsRoutes } from './routes.ts';

/** Every command: what ops can do over HTTP, and what needs this machine or more patience. */
const COMMANDS = new Map<string, OpsAction>(
  [
    ...opsRoutes.map((route) => route.action),
    listingImport,
    settlementRunAndWait,
    devCredentials,
  ].map((action) => [action.name, action]),
);

const json = process.argv.includes('--json');
let exitCode = 0;

const program = new Command('ops')
  .description('Runs the marketplace: partners, listings, orders, settlements.')
  .usage('<command> [options] [--json]')
  .exitOverride()
  .configureOutput({ writeErr: () => {} });

for (const action of COMMANDS.values()) {
  const command = program.command(action.name).description(action.summary);
  addOptions(command, action.input);
  command.option('--json', 'Print one JSON object; errors too, on standard error');
  command.allowExcessArguments(false).action(() => run(action, command));
}

try {
  await program.parseAsync();
} catch (error) {
  await fault(error);
}
process.exit(exitCode);

async function run(action: OpsAction, command: Command): Promise<void> {
  const input = bodyValidator(action.input)(readInput(command, action.input));
  const answer = await withContext(action.redis, (context) => action.run(context, input));
  exitCode = action.exitCode?.(answer) ?? 0;
  await write(process.stdout, json ? JSON.stringify(answer) : readable(answer));
}

async function fault(thrown: unknown): Promise<void> {
  // Help that was asked for has been printed; help shown for want of a command is a mistake.
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return;
  exitCode = 1;
  const error = describeFailure(thrown instanceof CommanderError ? misspelled(thrown) : thrown);
  await write(
    process.stderr,
    json ? JSON.stringify({ error }) : `Error (${error.code}): ${error.message}`,
  );
}

function misspelled(thrown: CommanderError) {
  const said = thrown.message.replace(/^error: /, '').replace(/\n/g, ' ');
  if (thrown.code === 'commander.unknownCommand') return fail('not_found', { message: `${said}.` });
  const message =
    thrown.code === 'commander.help'
      ? 'Name a command'
      : said.replace(/^./, (c) => c.toUpperCase());
  return fail('validation_error', { message: `${message}. --help says what there is.` });
}

/** Waits until the text has left: a pipe may take it in parts. */
function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(`${text}\n`, () => resolve());
  });
}
