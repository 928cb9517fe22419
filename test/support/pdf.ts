import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasTools } from './machine-tools.ts';

/** Newcomers need not read PDFs; machines that check changes do. */
export const canReadPdfs = hasTools('pdftotext', 'qpdf');

/** The text of a PDF, as a reader who copies it gets it. */
export function textOfPdf(pdf: Uint8Array): string {
  return run('pdftotext', ['-', '-'], pdf);
}

/** The fonts of a PDF, each with whether it is embedded, a subset, and knows the letters that it draws. */
export function fontsOfPdf(pdf: Uint8Array) {
  const [, , ...rows] = run('pdffonts', ['-'], pdf).trim().split('\n');
  return rows.map((row) => {
    const [name = ''] = row.split(/\s+/);
    const [, embedded, subset, unicode] = / (yes|no) +(yes|no) +(yes|no) /.exec(row) ?? [];
    return { name, embedded, subset, unicode };
  });
}

/** The white that words leave on the left and on the right of a page, in millimeters; the least of all pages. */
export function marginsOfPdf(pdf: Uint8Array): { left: number; right: number } {
  const told = run('pdftotext', ['-bbox', '-', '-'], pdf);
  const numbers = (name: string) =>
    [...told.matchAll(new RegExp(`<word[^>]* ${name}="([\\d.-]+)"`, 'g'))].map(([, x]) =>
      Number(x),
    );
  const width = Number(/<page width="([\d.]+)"/.exec(told)?.[1]);
  const millimeters = (points: number) => (points / 72) * 25.4;
  return {
    left: millimeters(Math.min(...numbers('xMin'))),
    right: millimeters(width - Math.max(...numbers('xMax'))),
  };
}

/** What qpdf finds wrong with the structure of a PDF; nothing when it is sound. */
export function faultsOfPdf(pdf: Uint8Array): string {
  // It reads no pipe.
  const folder = mkdtempSync(join(tmpdir(), 'pdf-'));
  try {
    const file = join(folder, 'document.pdf');
    writeFileSync(file, pdf);
    const { status, stdout, stderr } = spawnSync('qpdf', ['--check', file]);
    return status === 0 ? '' : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(program: string, args: readonly string[], input: Uint8Array): string {
  const { status, stdout, stderr } = spawnSync(program, args, { input });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  return stdout.toString();
}
