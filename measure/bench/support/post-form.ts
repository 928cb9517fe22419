import type { Pool } from 'undici';

/** Sends a form; returns the body of a 200. */
export async function postForm(
  pool: Pool,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${text}`);
  return JSON.parse(text);
}
