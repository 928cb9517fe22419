import type { Response } from 'express';
import { setPageHeaders } from '../kit/page-headers.ts';

/**
 * Sends the HTML of a mail for a frame of ours. It runs nothing, loads nothing, and is of no origin; its links open
 * in a window of their own.
 */
export function sendMailFrame(res: Response, page: string): void {
  setPageHeaders(res, 'mail-frame');
  res.removeHeader('X-Frame-Options');
  res.type('html').send(page.replace('<head>', '<head><base target="_blank">'));
}
