import { parentPort, workerData } from 'node:worker_threads';
import { NodeCompiler, PdfStandard } from '@myriaddreamin/typst-ts-node-compiler';

// Typesets documents in a thread of its own: it takes tens of milliseconds, and all of them at once.

const { folder } = workerData;
const compiler = NodeCompiler.create({
  workspace: folder,
  fontArgs: [{ fontPaths: [`${folder}/fonts`] }],
});

parentPort.on('message', ({ id, view }) => {
  try {
    parentPort.postMessage({ id, pdf: typeset(view) });
  } catch (error) {
    parentPort.postMessage({ id, fault: error instanceof Error ? error.message : String(error) });
  }
});

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
