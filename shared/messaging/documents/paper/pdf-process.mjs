import { NodeCompiler, PdfStandard } from '@myriaddreamin/typst-ts-node-compiler';

// Typesets documents in a separate process: each one blocks the event loop for tens of milliseconds, and if the
// library crashes on a text, it ends the process.

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
// A terminal sends SIGINT to all processes; this one exits when it is no longer needed.
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
 * Returns a PDF/A-3b. If marks of one script are stacked on letters of another, the font may lack a glyph, which the
 * standard forbids: such a document becomes a plain PDF.
 */
function archivable(document) {
  try {
    return compiler.pdf(document, { pdfStandard: PdfStandard.A_3b });
  } catch {
    return compiler.pdf(document);
  }
}
