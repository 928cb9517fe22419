import { runCommand } from './cli/run-command.ts';

process.exit(
  await runCommand(process.argv.slice(2), {
    get stdin() {
      return process.stdin;
    },
    width: process.stdout.columns,
    stdout: (text) => write(process.stdout, text),
    stderr: (text) => write(process.stderr, text),
  }),
);

/** Waits until all text is written: a pipe may accept it in parts. */
function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}
