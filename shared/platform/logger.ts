import { type Logger as PinoLogger, pino } from 'pino';

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
] as const;

/** Structured logs, one JSON object a line on standard output. */
export function createLogger(options: { level: string; name: string }): Logger {
  return pino({
    level: options.level,
    base: { process: options.name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: REDACTED_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[redacted]',
    },
    serializers: { err: pino.stdSerializers.errWithCause },
  });
}
