import type { TObject } from 'typebox';
import type { Markup } from '../../../../shared/platform/html.ts';
import type { ActionOf, OpsAction, OpsAnswer, OpsContext } from '../../ops-action.ts';
import type { ActionSubject } from '../action-subjects.ts';
import type { Section } from '../console-page.ts';

/** A form of the console: the question before an action, what it asks for, and what is said when it was done. */
export interface ActionForm {
  action: OpsAction;
  section: Section;
  /** On the button that leads to the form. */
  link: string;
  /** How that button looks. */
  tone?: 'danger' | 'primary';
  /** Fields of the action that come with the link and are not asked for. */
  given: readonly string[];
  /** Fields that only a command can set. */
  without?: readonly string[];
  /** Fields that must be filled in here, though the action could do without. */
  required?: readonly string[];
  /** Said below a field in place of what the action's schema says. */
  hints?: Readonly<Record<string, string>>;
  title(subject: string): string;
  /** What will happen, in a sentence. */
  effect: string;
  /** On the button that does it. */
  button: string;
  subject(context: OpsContext, given: Readonly<Record<string, string>>): Promise<ActionSubject>;
  done(subject: string, answer: OpsAnswer): string;
  /** Where to go afterwards, when the answer says so. */
  next?(answer: OpsAnswer): string | undefined;
  /** What is shown in place of going on: a secret that no other page can show. */
  reveal?(answer: OpsAnswer): Markup;
}

type FieldOf<I extends TObject> = keyof I['properties'] & string;

/** A form whose fields are those of its action. */
export function form<I extends TObject, const G extends FieldOf<I>, S = unknown>(
  options: Omit<ActionForm, 'action' | 'given' | 'without' | 'required' | 'hints'> & {
    action: ActionOf<I>;
    given: readonly G[];
    without?: readonly FieldOf<I>[];
    required?: readonly FieldOf<I>[];
    hints?: Readonly<Partial<Record<FieldOf<I>, string>>>;
    /** Whether the state of its subject allows it now. */
    offered(state: S): boolean;
    /** On the button, where that depends on the state. */
    linkFor?(state: S): string;
  },
) {
  return options;
}

/** Where the state of the subject does not matter. */
export const always = () => true;
