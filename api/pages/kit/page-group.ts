import type { Request, RequestHandler, Response } from 'express';
import type { Static, TObject } from 'typebox';
import { refuseUnstorable } from '../../http/json-body.ts';
import { sendReply } from '../../http/reply.ts';
import { parameterValidator } from '../../http/validate.ts';

/** A file to download: its name, and its text as it is read. */
export interface CsvFile {
  csv: string;
  chunks: AsyncIterable<string>;
}

/** One page of a group: its path, the schema of its path and query, and what it shows. */
export interface Page<Context, View> {
  path: string;
  /** Path and query parameters in one object. Empty filter fields count as missing. */
  input: TObject;
  /** Returns a view, a file, or the path to redirect to. @throws errors of the catalogue, shown as a page */
  show(context: Context, input: unknown): Promise<View | CsvFile | string>;
}

/** A page whose `show` is typed by its input. */
export type PageWith<Context, View, I extends TObject> = Omit<
  Page<Context, View>,
  'input' | 'show'
> & {
  input: I;
  show(context: Context, input: Static<I>): Promise<View | CsvFile | string>;
};

/** Handles a page: checks its input, and sends what it shows. */
export function pageHandler<Context, View extends object>(
  page: Page<Context, View>,
  group: {
    contextOf(req: Request, res: Response): Context | Promise<Context>;
    send(view: View, req: Request, res: Response, context: Context): void | Promise<void>;
  },
): RequestHandler {
  const check = parameterValidator(page.input);
  return async (req, res) => {
    const given = { ...withoutBlanks(req.query), ...req.params };
    refuseUnstorable(given);
    const context = await group.contextOf(req, res);
    const view = await page.show(context, check(given));
    if (typeof view === 'string') return res.redirect(303, view);
    if ('csv' in view) return sendCsv(res, view);
    await group.send(view, req, res, context);
  };
}

async function sendCsv(res: Response, { csv, chunks }: CsvFile): Promise<void> {
  await sendReply(res, {
    status: 200,
    headers: { 'Content-Disposition': `attachment; filename="${csv}"` },
    stream: { contentType: 'text/csv', chunks },
  });
}

function withoutBlanks(query: object): object {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}
