import type { TObject } from 'typebox';
import type { Markup } from '../../../../shared/platform/html.ts';
import type { ActionOf, OpsAction, OpsAnswer, OpsContext } from '../../ops-action.ts';
import type { ActionSubject } from '../action-subjects.ts';
import type { Section } from '../console-page.ts';

/** A form of the console: the question before an action, its fields, and the success message. */
export interface ActionForm {
  action: OpsAction;
  section: Section;
  /** The text of the button that leads to the form. */
  link: string;
  /** The style of that button. */
  tone?: 'danger' | 'primary';
  /** Fields of the action that come from the link and are not shown as inputs. */
  given: readonly string[];
  /** Fields that only a command can set. */
  without?: readonly string[];
  /** Fields that are required here, although they are optional for the action. */
  required?: readonly string[];
  /** Hints that replace those of the action's schema. */
  hints?: Readonly<Record<string, string>>;
  title(subject: string): string;
  /** What will happen, in one sentence. */
  effect: string;
  /** The text of the submit button. */
  button: string;
  subject(context: OpsContext, given: Readonly<Record<string, string>>): Promise<ActionSubject>;
  done(subject: string, answer: OpsAnswer): string;
  /** Returns the page to go to afterwards, if the answer determines it. */
  next?(answer: OpsAnswer): string | undefined;
  /** Returns what is shown instead of redirecting: a secret that no other page can show. */
  reveal?(answer: OpsAnswer): Markup;
}

type FieldOf<I extends TObject> = keyof I['properties'] & string;

/** Defines a form whose fields are those of its action. */
export function form<I extends TObject, const G extends FieldOf<I>, S = unknown>(
  options: Omit<ActionForm, 'action' | 'given' | 'without' | 'required' | 'hints'> & {
    action: ActionOf<I>;
    given: readonly G[];
    without?: readonly FieldOf<I>[];
    required?: readonly FieldOf<I>[];
    hints?: Readonly<Partial<Record<FieldOf<I>, string>>>;
    /** Returns whether the state of its subject allows it now. */
    offered(state: S): boolean;
    /** Returns the button's text, if it depends on the state. */
    linkFor?(state: S): string;
  },
) {
  return options;
}

/** For forms that do not depend on the subject's state. */
export const always = () => true;
