import { type Static, type TObject, Type } from 'typebox';
import { STAFF_ROLES, type StaffRole } from '../../shared/people/users/user.ts';
import { invalid } from '../../shared/platform/errors.ts';
import { ID_PREFIXES, type IdKind, isId } from '../../shared/platform/ids.ts';
import { MAX_PRICE_CENTS } from '../../shared/platform/money.ts';
import type { ApiServices } from '../compose-api.ts';
import { NOT_AN_ARGUMENT } from '../http/validate.ts';

/** The context of an action: the runtime, and the actor (a user's id, or `cli:<account>`). */
export interface OpsContext extends ApiServices {
  actor: string;
}

/** One operator action, available as a command and over HTTP. */
export interface OpsAction {
  /** The name of the command: `credential:revoke`. */
  name: string;
  summary: string;
  /** The fields of the request; as a command, `key_id` is the option `--key-id`. */
  input: TObject;
  /** Whether a command needs Redis: briefly, to publish a change, or for its answer. */
  redis?: 'publishes' | 'requires';
  /** The fields of its rows that a table shows if the terminal is too narrow for all of them. */
  columns?: readonly string[];
  /** Converts the answer into the exit status of the command; 0 if left out. */
  exitCode?: (answer: OpsAnswer) => number;
  run(context: OpsContext, input: unknown): Promise<OpsAnswer>;
}

export type OpsAnswer = Readonly<Record<string, unknown>>;

/** An action whose fields are known to the compiler. */
export type ActionOf<I extends TObject> = OpsAction & { readonly input: I };

/** Defines an action whose `run` is typed by its input. */
export function opsAction<I extends TObject>(
  action: Omit<OpsAction, 'input' | 'run'> & {
    input: I;
    run(context: OpsContext, input: Static<I>): Promise<OpsAnswer>;
  },
): ActionOf<I> {
  return action as unknown as ActionOf<I>;
}

/** Which staff may use something. Commands are not checked: anyone with access to the machine can do everything. */
export interface Access {
  roles: readonly StaffRole[];
  /**
   * Whether an account with a second factor must have confirmed it within the last 15 minutes. Dangerous is whatever
   * moves money or domains or restarts such moves, changes what is sold and its price, stops the service, or decides
   * who has a right to any of it (including disabling an account), who is told of it, or whom buyers write to. Not
   * dangerous: reading, anything that only ends something (suspending, delisting, declining, revoking), and resending.
   */
  dangerous: boolean;
}

export const DANGEROUS = true;
export const HARMLESS = false;

export const EVERYONE = STAFF_ROLES;
export const ADMINS = ['admin'] as const;
export const OPERATIONS = ['admin', 'operator'] as const;
export const FINANCE = ['admin', 'finance'] as const;
export const REFUNDS = ['admin', 'operator', 'finance'] as const;
export const SUPPORT = ['admin', 'operator', 'support'] as const;

/** A route of the ops API: the action of a command, over HTTP. */
export interface OpsRoute extends Access {
  method: 'GET' | 'POST';
  /** Below `/ops/api`; a `:name` is a field of the action's input, like those of the body or query. */
  path: string;
  status: 200 | 201 | 202;
  action: OpsAction;
}

/** Defines the route of an action, and who may use it. */
export const route = (
  method: OpsRoute['method'],
  path: string,
  status: OpsRoute['status'],
  action: OpsAction,
  roles: readonly StaffRole[],
  dangerous: boolean,
): OpsRoute => ({ method, path, status, action, roles, dangerous });

/** The inventory field. */
export const EnvironmentField = Type.Enum(['SANDBOX', 'LIVE'], {
  description: 'SANDBOX for tests, LIVE for real domains and money.',
});

/** The partner field. */
export const PartnerField = Type.String({ description: 'Partner ID (ptr_...).' });

/** The authorization code of a domain: anyone who has it can take the domain. */
export const authCodeField = (description: string) =>
  Type.String({ minLength: 1, maxLength: 255, description, ...NOT_AN_ARGUMENT });

export const DEFAULT_LIMIT = 100;

/** Returns the id of the row after which the answer starts; null for the first page. @throws validation_error */
export function placeBefore(kind: IdKind, before: string | undefined): string | null {
  if (before !== undefined && !isId(kind, before)) {
    const message = `must be an ID such as ${ID_PREFIXES[kind]}_01k6q0v1a2e3rs8h9m4n5p6q7w`;
    throw invalid([{ path: '/before', message }]);
  }
  return before ?? null;
}

/**
 * Returns the field for a price, such as `The latest offer`; `more` is a further sentence. Programs send minor units,
 * as the description says; people type the amount as pages show it, and read the hint.
 */
export function amountField(what: string, more?: string) {
  const rest = more ? ` ${more}` : '';
  return Type.Integer({
    minimum: 1,
    maximum: MAX_PRICE_CENTS,
    description: `${what}, in minor units.${rest}`,
    hint: `${what}.${rest}`,
  });
}

/** Returns the field for the number of rows in a list. */
export const limitField = (most = 500) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: most,
      description: `Maximum number of results. Defaults to ${DEFAULT_LIMIT}.`,
    }),
  );
