import type { Request, RequestHandler, Response } from 'express';
import type { Static, TObject } from 'typebox';
import type { Markup } from '../../../shared/platform/html.ts';
import { formFields } from '../../http/form-body.ts';
import { oneLineValidator, parameterValidator, type Validator } from '../../http/validate.ts';
import { type FormValues, readFields } from './form.ts';
import type { Page } from './page-group.ts';

/** The result of a command: the page to go to with an optional message, or a page of its own. */
type CommandAnswer<View> = Leaving | View;

interface Leaving {
  to: string;
  done?: string;
}

/** A command on a group of pages: a form on a page, sent to its own path. */
export interface PageCommand<Context, View> {
  path: string;
  /** The fields of the path and of the form. */
  input: TObject;
  /** Shown again, with the submitted values, if the command is refused. */
  page: Page<Context, View>;
  run(context: Context, input: unknown): Promise<CommandAnswer<View>>;
}

/** A command whose `run` is typed by its input. */
export type PageCommandWith<Context, View, I extends TObject> = Omit<
  PageCommand<Context, View>,
  'input' | 'run'
> & {
  input: I;
  run(context: Context, input: Static<I>): Promise<CommandAnswer<View>>;
};

/** The values of a refused form, for the page that shows it again. */
export interface Refused {
  refused?: { values: FormValues } | undefined;
}

/** Fills in the parameters of a page's path, such as `/bulk/:op`. */
export function filledPath(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(params[name])));
}

/** Returns the check of submitted values: each text must be one line, unless its field allows more. */
export function inputCheck({ input }: { input: TObject }): Validator {
  return oneLineValidator(input, parameterValidator(input));
}

/** Handles a command; a refusal is shown above the page of the form, with everything filled in. */
export function commandHandler<Context extends Refused, View extends { content: Markup }>(
  command: PageCommand<Context, View>,
  group: {
    contextOf(req: Request, res: Response): Context;
    /** Returns the context of the page that shows a refusal, if it differs. */
    contextOfPage?(context: Context, page: Page<Context, View>): Promise<Context>;
    /** Returns the path parameters of the command. */
    paramsOf(req: Request): Readonly<Record<string, unknown>>;
    /** Returns the reason of a refusal, and sets the status. @throws errors that are not refusals */
    refusalOf(thrown: unknown, res: Response): string;
    leave(answer: Leaving, res: Response, context: Context): Promise<void>;
    send(view: View, res: Response, context: Context, error?: string): void;
  },
): RequestHandler {
  const check = inputCheck(command);
  const checkPage = parameterValidator(command.page.input);
  return async (req, res) => {
    const context = group.contextOf(req, res);
    const values = formFields(req) as FormValues;
    const params = group.paramsOf(req);
    try {
      const input = check({ ...readFields(command.input, values), ...params });
      const answer = await command.run(context, input);
      if ('content' in answer) return group.send(answer, res, context);
      await group.leave(answer, res, context);
    } catch (thrown) {
      const error = group.refusalOf(thrown, res);
      const { page } = command;
      const shown = (await group.contextOfPage?.(context, page)) ?? context;
      const view = await page.show({ ...shown, refused: { values } }, checkPage(params));
      if (typeof view === 'string' || 'csv' in view) throw thrown;
      group.send(view, res, shown, error);
    }
  };
}
