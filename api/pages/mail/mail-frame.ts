import type { Response } from 'express';
import { setPageHeaders } from '../kit/page-headers.ts';

/**
 * Sends a mail's HTML for one of our frames. It runs and loads nothing, and has no origin; its links open in a new
 * window.
 */
export function sendMailFrame(res: Response, page: string): void {
  setPageHeaders(res, 'mail-frame');
  res.removeHeader('X-Frame-Options');
  res.type('html').send(page.replace('<head>', '<head><base target="_blank">'));
}
