import { randomBase62 } from '../../platform/ids.ts';
import type { EppCommand } from './epp-commands.ts';
import { EppRefused, EppUnanswered, EppUnreadable } from './epp-errors.ts';
import { type EppResponse, refusal } from './epp-responses.ts';
import { meaningOf } from './epp-result-codes.ts';
import type { EppSessions, Sending } from './epp-sessions.ts';

/** Identifies one change in our records and the registry's: all attempts share its clTRID. */
export interface CommandName extends Omit<Sending, 'isUrgent'> {
  /** 3 to 64 characters. */
  clTRID: string;
  /** When this change was first attempted; anything that the registry did earlier does not count as its outcome. */
  since: Date;
  /** Whether an earlier process may have sent it: the registry is then asked before sending. */
  resumed: boolean;
}

/** Identifies a query. */
export type Question = Pick<CommandName, 'clTRID' | 'signal'>;

/** Creates an ID for a query. It changes nothing, so the ID is not stored. */
export function question(signal: AbortSignal): Question {
  return { clTRID: `ask-${randomBase62(24)}`, signal };
}

/** The maximum number of attempts when connections break. */
const ATTEMPTS = 3;

/** Sends a query and repeats it when no response arrives. @throws EppRefused, EppUnreachable, EppUnanswered */
export async function ask(
  sessions: Pick<EppSessions, 'send'>,
  command: EppCommand,
  question: Question,
): Promise<EppResponse> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(sessions, command, question);
    } catch (error) {
      // A registry that sent an unreadable response would send the same again.
      const isRepeatable = error instanceof EppUnanswered && !(error instanceof EppUnreadable);
      if (!isRepeatable || attempt >= ATTEMPTS) throw error;
    }
  }
}

/** How to learn the outcome of a change. */
interface Outcome<T> {
  /** Reads it from the response to the command. */
  read(response: EppResponse, question: Question): T | Promise<T>;
  /** Reads it from the registry's current data; undefined if the change was not made. */
  made(question: Question): Promise<T | undefined>;
}

/**
 * Sends a change, and repeats it only after asking the registry whether it was made.
 * @throws EppRefused, EppUnreachable, or EppUnanswered if it is unknown whether it was made
 */
export async function carryOut<T>(
  sessions: Pick<EppSessions, 'send'>,
  command: EppCommand,
  name: CommandName,
  { read, made }: Outcome<T>,
): Promise<T> {
  let maySent = name.resumed;
  for (let attempt = 1; ; attempt += 1) {
    if (maySent) {
      const result = await made(question(name.signal));
      if (result !== undefined) return result;
    }
    try {
      return await read(await send(sessions, command, name), question(name.signal));
    } catch (error) {
      if (error instanceof EppRefused && maySent) {
        // The first command may have been carried out after we checked.
        const result = await made(question(name.signal));
        if (result !== undefined) return result;
      }
      const isRepeatable = error instanceof EppUnanswered || isSessionLimit(error);
      if (!isRepeatable || attempt >= ATTEMPTS) throw error;
      maySent = true;
    }
  }
}

async function send(
  sessions: Pick<EppSessions, 'send'>,
  command: EppCommand,
  { clTRID, signal, permit }: Question & Pick<CommandName, 'permit'>,
): Promise<EppResponse> {
  const response = await sessions.send(command, { clTRID, signal, permit });
  const means = meaningOf(response.code);
  if (means === 'refused' || means === 'retry') throw refusal(response);
  return response;
}

/** Returns whether the session limit was exceeded: the registry may accept the command on another session. */
const isSessionLimit = (error: unknown): boolean =>
  error instanceof EppRefused && error.code === 2502;
