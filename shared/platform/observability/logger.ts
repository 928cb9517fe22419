import { type DestinationStream, type LoggerOptions, type Logger as PinoLogger, pino } from 'pino';
import { terminalJson } from '../terminal-text.ts';
import { limitRepeatedLines } from './repeated-lines.ts';

export type Logger = PinoLogger;

/** Names whose values never reach a log, wherever they stand in the logged object (two levels deep). */
export const REDACTED_FIELDS = [
  'secret',
  'password',
  'token',
  'signature',
  'authorization',
  'cookie',
  'email',
  'buyer',
  'buyer_email',
  'buyer_name',
  'quote_id',
  'secret_ciphertext',
  'secretsKey',
  'secretsKeyPrevious',
  'stripeSecretKey',
  'stripeWebhookSecret',
  'embeddingsApiKey',
  'card',
  'card_number',
  'cvc',
] as const;

/** Fields of database errors that quote the row, which may hold a buyer's name and address. */
const ROW_FIELDS = ['detail', 'where', 'bindings'];

/**
 * Lines are written together, at the latest after a tenth of a second: a write for each took 8 % of a signed read. A
 * process that ends writes what is left; one that is killed (SIGKILL) loses it.
 */
const BUFFERING = { minLength: 4_096, periodicFlush: 100 };

let standardOutput: DestinationStream | undefined;

/** Structured logs, one JSON object a line on standard output, which all loggers of a process write to together. */
export function createLogger(
  options: { level: string; name: string },
  destination?: DestinationStream,
): Logger {
  const settings: LoggerOptions = {
    level: options.level,
    base: { process: options.name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        ...REDACTED_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        ...ROW_FIELDS.flatMap((field) => [`err.${field}`, `err.cause.${field}`]),
      ],
      censor: '[redacted]',
    },
    serializers: { err: pino.stdSerializers.errWithCause },
    // Escapes control characters, since people read logs at terminals.
    hooks: { streamWrite: terminalJson, logMethod: limitRepeatedLines() },
  };
  standardOutput ??= pino.destination(BUFFERING);
  return pino(settings, destination ?? standardOutput);
}
