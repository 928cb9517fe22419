import { randomBase62 } from '../../platform/ids.ts';
import type { EppCommand } from './epp-commands.ts';
import { EppRefused, EppUnanswered, EppUnreadable } from './epp-errors.ts';
import { type EppResponse, refusal } from './epp-responses.ts';
import { meaningOf } from './epp-result-codes.ts';
import type { EppSessions, Sending } from './epp-sessions.ts';

/** Names one command, in our books and in the registry's: its clTRID is the same for every attempt at the same change. */
export interface CommandName extends Omit<Sending, 'isUrgent'> {
  /** 3 to 64 characters. */
  clTRID: string;
  /** When this change was first meant to be made; what the registry did before is another matter. */
  since: Date;
  /** It may have been sent before, by a process that is gone: the registry is asked before it is sent. */
  resumed: boolean;
}

/** For what only asks. */
export type Question = Pick<CommandName, 'clTRID' | 'signal'>;

/** Names a command that only asks: it changes nothing, so nobody keeps its name. */
export function question(signal: AbortSignal): Question {
  return { clTRID: `ask-${randomBase62(24)}`, signal };
}

/** How often a command is tried while connections break. */
const ATTEMPTS = 3;

/** Sends a command that changes nothing, again when no answer comes. @throws EppRefused, EppUnreachable, EppUnanswered */
export async function ask(
  sessions: Pick<EppSessions, 'send'>,
  command: EppCommand,
  question: Question,
): Promise<EppResponse> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(sessions, command, question);
    } catch (error) {
      // Who answered in a way that nobody can read will answer so again.
      const isRepeatable = error instanceof EppUnanswered && !(error instanceof EppUnreadable);
      if (!isRepeatable || attempt >= ATTEMPTS) throw error;
    }
  }
}

/** How the outcome of a change is known. */
interface Outcome<T> {
  /** From the answer to the command. */
  read(response: EppResponse, question: Question): T | Promise<T>;
  /** From what the registry shows when the change was made; undefined when it was not. */
  made(question: Question): Promise<T | undefined>;
}

/**
 * Sends a change, and again only after the registry was asked whether it was made.
 * @throws EppRefused, EppUnreachable, or EppUnanswered when nobody can say whether it was made
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
        // What was sent first may have been carried out after we had asked.
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

/** A registry that has too many sessions of ours may take the command on the next one. */
const isSessionLimit = (error: unknown): boolean =>
  error instanceof EppRefused && error.code === 2502;
