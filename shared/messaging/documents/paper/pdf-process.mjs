import { NodeCompiler, PdfStandard } from '@myriaddreamin/typst-ts-node-compiler';

// Typesets documents in a process of its own: it takes tens of milliseconds and all of them at once, and where the
// library trips over a text, it ends the process.

const [, , folder] = process.argv;
const compiler = NodeCompiler.create({
  workspace: folder,
  fontArgs: [{ fontPaths: [`${folder}/fonts`] }],
});

process.on('message', ({ id, view }) => {
  try {
    process.send({ id, pdf: typeset(view) });
  } catch (error) {
    process.send({ id, fault: error instanceof Error ? error.message : String(error) });
  }
});
process.on('disconnect', () => process.exit());
// A terminal tells all processes; this one leaves when nobody needs it any more.
process.on('SIGINT', () => {});

function typeset(view) {
  const compiled = compiler.compile({
    mainFilePath: `${folder}/document.typ`,
    inputs: { view: JSON.stringify(view) },
  });
  const document = compiled.result;
  if (!document) {
    const [problem] = compiler.fetchDiagnostics(compiled.takeDiagnostics());
    throw new Error(problem?.message ?? 'the document could not be typeset');
  }
  const pdf = archivable(document);
  compiler.evictCache(0);
  return pdf;
}

/**
 * PDF/A-3b. Where letters of different scripts are piled on each other, the font of one may lack the other, and the
 * standard forbids that: such a document is a plain PDF.
 */
function archivable(document) {
  try {
    return compiler.pdf(document, { pdfStandard: PdfStandard.A_3b });
  } catch {
    return compiler.pdf(document);
  }
}
