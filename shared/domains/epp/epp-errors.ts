import { meaningOf, type ResultCode } from './epp-result-codes.ts';

/** The registry refused the command. */
export class EppRefused extends Error {
  readonly code: ResultCode;
  /** The registry's transaction ID, to quote to its support. */
  readonly svTRID: string;

  constructor(code: ResultCode, message: string, svTRID: string) {
    super(`${code}: ${message}`);
    this.name = 'EppRefused';
    this.code = code;
    this.svTRID = svTRID;
  }

  /** Whether the same command may succeed later. */
  get isTemporary(): boolean {
    return meaningOf(this.code) === 'retry';
  }
}

/** The registry offers none of the extensions that a command needs. Nothing was sent. */
export class EppNotOffered extends Error {
  constructor(namespaces: readonly string[]) {
    super(`the registry offers none of ${namespaces.join(', ')}`);
    this.name = 'EppNotOffered';
  }
}

/** The registry could not be reached. Nothing of the command was sent. */
export class EppUnreachable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EppUnreachable';
  }
}

/** The command was sent but got no response. It may have been carried out: check before sending it again. */
export class EppUnanswered extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EppUnanswered';
  }
}

/** A response arrived that cannot be read, so the outcome is unknown. */
export class EppUnreadable extends EppUnanswered {
  /** The document, or the beginning of one that exceeds our limit. */
  readonly answer: Uint8Array;

  constructor(message: string, answer: Uint8Array, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EppUnreadable';
    this.answer = answer;
  }
}

/** Returns the error if it is a permanent refusal. @throws any other error */
export function refusedOnly(error: unknown): EppRefused {
  if (error instanceof EppRefused && !error.isTemporary) return error;
  throw error;
}

/** Returns whether the registry rejected our login credentials. */
export function isWrongPassword(error: unknown): boolean {
  return error instanceof EppRefused && (error.code === 2200 || error.code === 2501);
}
