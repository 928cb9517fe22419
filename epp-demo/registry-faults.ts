/** What goes wrong with a command, on order. */
export type RegistryFault =
  /** The connection breaks before the command is carried out, or behind it, with no answer either way. */
  | { kind: 'cut_before' | 'cut_after' }
  /** Nothing is done: 2400, or 2502 and the end of the connection. */
  | { kind: 'command_failed' | 'session_limit' }
  /** The answer comes this many milliseconds late. */
  | { kind: 'slow'; ms: number }
  /** Carried out; half of the answer comes, or one whose length cannot be. */
  | { kind: 'half_frame' | 'wrong_length' };

export const FAULT_KINDS = [
  'cut_before',
  'cut_after',
  'command_failed',
  'session_limit',
  'slow',
  'half_frame',
  'wrong_length',
] as const satisfies readonly RegistryFault['kind'][];

/** Faults that wait for their command. */
export interface RegistryFaults {
  /** The next command of this verb (`create`, `transfer request`, `poll ack`, `login`) meets the fault, once. */
  order(verb: string, fault: RegistryFault): void;
  /** The fault of a command that has come, and strikes it off. */
  take(verb: string): RegistryFault | undefined;
}

/** A list of faults to order. */
export function createRegistryFaults(): RegistryFaults {
  const ordered: { verb: string; fault: RegistryFault }[] = [];
  return {
    order: (verb, fault) => void ordered.push({ verb, fault }),
    take(verb) {
      const at = ordered.findIndex((each) => each.verb === verb);
      return at < 0 ? undefined : ordered.splice(at, 1)[0]?.fault;
    },
  };
}
