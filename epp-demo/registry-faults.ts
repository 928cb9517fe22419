/** A fault to inject into a command. */
export type RegistryFault =
  /** Cuts the connection before or after the command is carried out, without a response. */
  | { kind: 'cut_before' | 'cut_after' }
  /** Does nothing and responds with 2400, or with 2502 and closes the connection. */
  | { kind: 'command_failed' | 'session_limit' }
  /** Delays the response by this many milliseconds. */
  | { kind: 'slow'; ms: number }
  /** Carries out the command but sends half of the response, or one with an impossible length. */
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

/** The queue of faults to inject. */
export interface RegistryFaults {
  /** Injects a fault into the next command of this verb (`create`, `transfer request`, `poll ack`, `login`), once. */
  order(verb: string, fault: RegistryFault): void;
  /** Returns the fault for an arriving command and removes it from the queue. */
  take(verb: string): RegistryFault | undefined;
}

/** Creates an empty queue of faults. */
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
