import { addMs, type Clock } from '../../platform/clock.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { EppRefused } from '../epp/epp-errors.ts';
import type { CommandName } from '../epp/epp-send.ts';
import {
  type CommandOutcome,
  claimCommand,
  claimPushCommand,
  selectAllowed,
  selectCommands,
  updateCommandAnswered,
  updateCommandReleased,
} from './epp-registrar.store.ts';
import { selectOnLegalHold } from './held-domain.store.ts';
import { RegistrarBusy } from './registrar.ts';

/** The log of commands to a registry: each change is recorded by its clTRID before it is sent. */
export interface RegistryCommands {
  /**
   * Sends a change under its clTRID. A recorded change with an unknown outcome keeps its clTRID, so the client checks
   * with the registry before sending it. Whether the change is still wanted is checked when it is recorded,
   * and again just before it is sent, as it may wait for a session in between.
   * @throws OnLegalHold, CommandNotWanted if its push has ended or its transfer was stopped, and the errors of `send`:
   *   ChangeNotSent if it did not send it
   */
  send<T>(
    change: Change,
    send: (name: CommandName, detail: string | null) => Promise<T>,
  ): Promise<T>;
  /** Returns the detail recorded with the last attempt at this change; null if there is none. */
  lastDetail(change: Pick<Change, 'clientReference' | 'step'>): Promise<string | null>;
  /** Returns whether this change was carried out. */
  isDone(change: Pick<Change, 'clientReference' | 'step'>): Promise<boolean>;
  /** Returns whether this change was recorded for sending and its outcome is still unknown. */
  isUnanswered(change: Pick<Change, 'clientReference' | 'step'>): Promise<boolean>;
}

/** A change to send. */
export interface Change {
  /** The reference of the push or domain change. */
  clientReference: string;
  step: string;
  domain: string;
  /** Data of the first attempt that a repetition needs; later values are ignored. */
  detail?: string;
  /** Whether it is sent only while its push is open. */
  ofOpenPush: boolean;
  /** Whether it is sent even during a legal hold. */
  duringLegalHold?: boolean;
  /** When the caller saw that the change is needed: another process may have made it since. */
  seenAt?: Date;
  signal: AbortSignal;
}

/** A change was not sent; the message tells the domain's owner why. */
export class ChangeNotSent extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ChangeNotSent';
  }
}

/** The push of a command has ended, its transfer was stopped, or another process has made the change meanwhile. */
export class CommandNotWanted extends Error {
  constructor(clTRID: string) {
    super(`${clTRID} is not wanted any more`);
    this.name = 'CommandNotWanted';
  }
}

/** A domain is on legal hold, so no command that would move or change it is sent. */
export class OnLegalHold extends Error {
  constructor(domain: string) {
    super(`${domain} is on legal hold`);
    this.name = 'OnLegalHold';
  }
}

function isNotBefore(one: Date | null, other: Date | undefined): boolean {
  return one !== null && other !== undefined && one >= other;
}

/** Creates the command log. @param scope.busyMs how long a process may take to send a command */
export function createRegistryCommands({
  sql,
  clock,
  busyMs,
}: {
  sql: Sql;
  clock: Clock;
  busyMs: number;
}): RegistryCommands {
  return {
    async send(change, send) {
      const { clientReference, step, domain, detail = null, ofOpenPush, signal } = change;
      const { duringLegalHold = false, seenAt } = change;
      const known = await selectCommands.all(sql, { clientReference });
      // An answered command is finished; the same change again is a new command.
      const over = known.filter((each) => each.step === step && each.outcome !== null).length;
      const clTRID = `${clientReference}-${step}-${over + 1}`;
      const isMade = known.some(
        (each) =>
          each.step === step && each.outcome === 'done' && isNotBefore(each.answeredAt, seenAt),
      );
      if (isMade) throw new CommandNotWanted(clTRID);
      const claim = ofOpenPush ? claimPushCommand : claimCommand;
      const now = clock.now();
      const busyUntil = addMs(now, busyMs);
      const command = { clTRID, clientReference, step, domain, detail };
      const noted = { ...command, duringLegalHold, now, busyUntil };
      const claimed = await claim.first(sql, noted);
      const refuseHeld = async () => {
        const { found: isHeld } = await selectOnLegalHold.one(sql, { domain });
        if (isHeld && !duringLegalHold) throw new OnLegalHold(domain);
      };
      const permit = async () => {
        const { allowed } = await selectAllowed.one(sql, { step, domain, duringLegalHold });
        if (allowed) return;
        await refuseHeld();
        throw new CommandNotWanted(clTRID);
      };
      if (!claimed) {
        await refuseHeld();
        const latest = await selectCommands.all(sql, { clientReference });
        const open = latest.find((each) => each.clTRID === clTRID && each.outcome === null);
        if (open) throw new RegistrarBusy(clTRID, open.busyUntil ?? now);
        throw new CommandNotWanted(clTRID);
      }
      const answered = (outcome: CommandOutcome, code: number | null) =>
        updateCommandAnswered.run(sql, { clTRID, outcome, code, now: clock.now() });
      try {
        const { since, resumed } = claimed;
        const result = await send({ clTRID, since, resumed, signal, permit }, claimed.detail);
        await answered('done', null);
        return result;
      } catch (error) {
        // A temporary refusal changed nothing, so the same command is sent again later.
        if (error instanceof EppRefused && !error.isTemporary) {
          await answered('refused', error.code);
        } else if (error instanceof ChangeNotSent) {
          await answered('not_made', null);
        } else {
          await updateCommandReleased.run(sql, { clTRID });
        }
        throw error;
      }
    },
    async lastDetail({ clientReference, step }) {
      const known = await selectCommands.all(sql, { clientReference });
      return known.findLast((each) => each.step === step)?.detail ?? null;
    },
    async isDone({ clientReference, step }) {
      const known = await selectCommands.all(sql, { clientReference });
      return known.some((each) => each.step === step && each.outcome === 'done');
    },
    async isUnanswered({ clientReference, step }) {
      const known = await selectCommands.all(sql, { clientReference });
      return known.some((each) => each.step === step && each.outcome === null);
    },
  };
}
