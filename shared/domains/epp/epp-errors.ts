import { meaningOf, type ResultCode } from './epp-result-codes.ts';

/** The registry answered and did not do it. */
export class EppRefused extends Error {
  readonly code: ResultCode;
  /** The registry's name for the command, to ask its staff about. */
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

/** The registry takes none of the extensions that a command needs: nothing of the command has left. */
export class EppNotOffered extends Error {
  constructor(namespaces: readonly string[]) {
    super(`the registry offers none of ${namespaces.join(', ')}`);
    this.name = 'EppNotOffered';
  }
}

/** The registry could not be asked: nothing of the command has left. */
export class EppUnreachable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EppUnreachable';
  }
}

/** The command has left and no answer came: nobody knows whether it was carried out. Ask before sending it again. */
export class EppUnanswered extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EppUnanswered';
  }
}

/** An answer came that cannot be read, so nobody knows what it says. */
export class EppUnreadable extends EppUnanswered {
  /** The document, or the first part of one that is longer than we take. */
  readonly answer: Uint8Array;

  constructor(message: string, answer: Uint8Array, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EppUnreadable';
    this.answer = answer;
  }
}

/** An error as the registry's lasting refusal. @throws the error when it is something else */
export function refusedOnly(error: unknown): EppRefused {
  if (error instanceof EppRefused && !error.isTemporary) return error;
  throw error;
}

/** Whether the registry refused a login for what it was told about who we are. */
export function isWrongPassword(error: unknown): boolean {
  return error instanceof EppRefused && (error.code === 2200 || error.code === 2501);
}
