/** Returns the CSV line with the values of a row: numbers unquoted, text quoted, null empty. */
export function csvLine(row: object): string {
  const cells = Object.values(row).map((value) =>
    typeof value === 'string' ? `"${value}"` : String(value ?? ''),
  );
  return cells.join(',');
}
