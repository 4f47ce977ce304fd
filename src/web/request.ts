/** What a request asks for: its body as JSON, and its fields as a table of them takes them. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { AppError } from '../errors.js';
import { Refusal } from './problem.js';

/** @throws Refusal 415 or 400 for anything but a JSON object */
export async function bodyOf(c: Context): Promise<Record<string, unknown>> {
  const text = await c.req.text();
  if (text === '') return {};
  // A form of another page may send text, never this type without asking first.
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
    throw new Refusal(
      415,
      new AppError('USAGE', 'the body is not application/json', {
        hint: 'set Content-Type: application/json',
      }),
    );
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Refused below, like a body that is no object.
  }
  throw new Refusal(
    400,
    new AppError('USAGE', 'the body is no JSON object', {
      hint: 'docs/cli.md lists what each path takes',
    }),
  );
}

/** What a request asks for, as its route takes it: nothing that it does not know. */
export async function wantedOf<Takes extends z.ZodObject>(
  takes: Takes,
  c: Context,
): Promise<z.infer<Takes>> {
  const isRead = c.req.method === 'GET' || c.req.method === 'DELETE';
  const fields = { ...(isRead ? c.req.query() : await bodyOf(c)), ...c.req.param() };
  const parsed = takes.strict().safeParse(fields);
  if (parsed.success) return parsed.data as z.infer<Takes>;
  const [issue] = parsed.error.issues;
  const place = issue!.path.length === 0 ? '' : `${issue!.path.join('.')}: `;
  throw new Refusal(
    400,
    new AppError('USAGE', `${place}${issue!.message}`, {
      hint: 'docs/cli.md lists what each path takes',
    }),
  );
}
