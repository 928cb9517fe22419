/** The line of a CSV file that has the values of a row: numbers bare, text quoted, null empty. */
export function csvLine(row: object): string {
  const cells = Object.values(row).map((value) =>
    typeof value === 'string' ? `"${value}"` : String(value ?? ''),
  );
  return cells.join(',');
}
