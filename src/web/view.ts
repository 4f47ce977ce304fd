/**
 * What every view of the page is made of: a path below `/view`, what it takes, and that there is a
 * memory.
 */
import { z } from 'zod';
import type { App } from '../app.js';
import { AppError, EXIT } from '../errors.js';
import { answers } from './answers.js';
import { projectOf, route, type Route } from './routes.js';
import type { Io } from '../io.js';

export const text = z.string().min(1).max(300);
export const project = text.optional();
/** A whole number in an address. */
export const number = (fallback: number, most: number) =>
  z.coerce.number().int().min(0).max(most).default(fallback);

/** `GET /view/PATH`, for the page alone. */
export function view<Takes extends z.ZodObject>(
  path: string,
  summary: string,
  takes: Takes,
  answer: (app: App, wanted: z.infer<Takes>, io: Io) => Promise<object>,
): Route {
  return route({
    ...{
      method: 'get',
      path: `/view/${path}`,
      summary,
      takes,
      gives: answers.view,
      storeless: true,
    },
    answer(app, wanted, io) {
      if (!app.storeExists)
        throw new AppError('NO_STORE', 'there is no memory yet', {
          hint: 'run `dripstone run` first',
          exitCode: EXIT.noStore,
        });
      return answer(app, wanted, io);
    },
  });
}

export const slugOf = async (app: App, spec: string | undefined): Promise<string | null> =>
  (await projectOf(app, spec))?.slug ?? null;
