import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasTools } from './machine-tools.ts';

/** Newcomers need no PDF tools; CI does. */
export const canReadPdfs = hasTools('pdftotext', 'qpdf');

/** Returns the text of a PDF, as readers copy it. */
export function textOfPdf(pdf: Uint8Array): string {
  return run('pdftotext', ['-', '-'], pdf);
}

/** Returns the fonts of a PDF: whether each is embedded, is a subset, and maps its glyphs to letters. */
export function fontsOfPdf(pdf: Uint8Array) {
  const [, , ...rows] = run('pdffonts', ['-'], pdf).trim().split('\n');
  return rows.map((row) => {
    const [name = ''] = row.split(/\s+/);
    const [, embedded, subset, unicode] = / (yes|no) +(yes|no) +(yes|no) /.exec(row) ?? [];
    return { name, embedded, subset, unicode };
  });
}

/** Returns the left and right margins of the text, in millimeters: the smallest of all pages. */
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

/** Returns the faults that qpdf finds in the structure of a PDF; empty if it is sound. */
export function faultsOfPdf(pdf: Uint8Array): string {
  // qpdf reads no pipe.
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
