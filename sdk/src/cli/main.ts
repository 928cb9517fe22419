#!/usr/bin/env node
import { ServiceError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { clockCommand } from './clock.ts';
import type { Command } from './command.ts';
import { endpointsCommand } from './endpoints.ts';
import { eventsTailCommand } from './events-tail.ts';
import { listenCommand } from './listen.ts';
import { readCommandLine, UsageError } from './settings.ts';
import { signCommand } from './sign.ts';
import { triggerCommand } from './trigger.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  sign: signCommand,
  listen: listenCommand,
  trigger: triggerCommand,
  clock: clockCommand,
  endpoints: endpointsCommand,
  'events tail': eventsTailCommand,
};

const USAGE = `${Object.values(COMMANDS)
  .map(({ usage }) => usage)
  .join('\n\n')}

Every command takes --base-url, --key-id and --secret, or reads BASE_URL, KEY_ID and SECRET.
domain-marketplace --version prints the version of the package.`;

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.abort());
}
// The reader closed the output, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  interrupted.abort();
});
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

/** Returns 0 on success or Ctrl-C, 1 if the service failed or refused, 2 for a wrong command line. */
async function main(args: readonly string[]): Promise<number> {
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const note = (text: string) => void process.stderr.write(`${text}\n`);
  const name = args[0] === 'events' ? args.slice(0, 2).join(' ') : (args[0] ?? '');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command && args[0] === '--version') {
    say(VERSION);
    return 0;
  }
  if (!command && (args.length === 0 || args.includes('--help'))) {
    say(USAGE);
    return 0;
  }
  if (!command) {
    note(`Unknown command: ${name}\n\n${USAGE}`);
    return 2;
  }
  try {
    const line = readCommandLine(args.slice(name.split(' ').length), command, process.env);
    if (line.on('help')) say(command.usage);
    else await command.run({ line, say, note, signal: interrupted.signal });
    return 0;
  } catch (error) {
    if (interrupted.signal.aborted && error === interrupted.signal.reason) return 0;
    if (error instanceof UsageError || error instanceof TypeError) {
      note(`${error.message}\n\n${command.usage}`);
      return 2;
    }
    note(error instanceof ServiceError ? error.message : String(error));
    return 1;
  }
}
