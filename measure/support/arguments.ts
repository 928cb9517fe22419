import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * The arguments of this process. Where they are wrong, or help is asked for, the process tells how it is used and ends:
 * with code 2 or 0.
 */
export function readArguments<const T extends ParseArgsConfig & { options: object }>(
  usage: string,
  config: T,
) {
  try {
    const withHelp = { ...config.options, help: { type: 'boolean' as const } };
    const { values } = parseArgs({ ...config, options: withHelp });
    if ((values as { help?: boolean }).help) {
      process.stdout.write(`${usage}\n`);
      process.exit(0);
    }
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    process.exit(2);
  }
}
