/** The API as an OpenAPI 3.1 document, made of the table of routes. Pure. */
import { z } from 'zod';
import { packageVersion } from '../config.js';
import { problem } from './answers.js';
import type { Route } from './routes.js';

type Json = Record<string, unknown>;

/** Statuses that any route may answer with instead. */
const PROBLEMS: Record<string, string> = {
  400: 'what was asked cannot be understood',
  401: 'no key, or that of an earlier start (on the port; the socket needs none)',
  403: 'for the person alone, or asked by another page',
  404: 'there is no such thing, or no memory yet',
  409: 'it may mean several, or there is nothing to take back',
  413: 'the body is larger than 1 MiB',
  423: 'the store is busy: try again after `Retry-After` seconds',
  503: 'not now: config.yaml is broken, the home cannot be written, or the answer took too long',
  507: 'the disk is full: free some space, then the same request again',
};

function schemaOf(type: z.ZodType): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
  }) as Json;
  return inComponents(schema) as Json;
}

/** zod names what is shared under `$defs` of each schema; the document has one place for all. */
function inComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inComponents);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '$defs' && key !== 'id')
      .map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string'
          ? inner.replace('#/$defs/', '#/components/schemas/')
          : inComponents(inner),
      ]),
  );
}

function operationOf({ method, path, summary, takes, gives }: Route): Json {
  const { properties = {}, required = [] } = schemaOf(takes) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name));
  const parameters = [
    ...inPath.map((name) => ({ name, in: 'path', required: true, schema: properties[name] })),
    ...(method === 'get' || method === 'delete'
      ? rest.map(([name, schema]) => ({
          name,
          in: 'query',
          required: required.includes(name),
          schema,
        }))
      : []),
  ];
  const body = {
    type: 'object',
    properties: Object.fromEntries(rest),
    required: required.filter((name) => !inPath.includes(name)),
  };
  return {
    summary,
    parameters,
    ...(method === 'post' || method === 'patch'
      ? {
          requestBody: {
            required: rest.length > 0,
            content: { 'application/json': { schema: body } },
          },
        }
      : {}),
    responses: {
      200: { description: 'done', content: { 'application/json': { schema: schemaOf(gives) } } },
      ...Object.fromEntries(
        Object.entries(PROBLEMS).map(([status, description]) => [
          status,
          {
            description,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
          },
        ]),
      ),
    },
  };
}

/** Schemas with a name of their own, which the operations point to. */
function shared(routes: readonly Route[]): Json {
  const defs: Json = { Problem: schemaOf(problem) };
  for (const { gives } of routes) {
    const found =
      (z.toJSONSchema(gives, { io: 'input', unrepresentable: 'any' }) as { $defs?: Json }).$defs ??
      {};
    for (const [name, schema] of Object.entries(found)) defs[name] = inComponents(schema);
  }
  return defs;
}

export function openApi(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'dripstone',
      version: packageVersion(),
      description:
        'The memory on this machine. Answers are those of the commands with `--json`; docs/cli.md describes their fields.',
    },
    servers: [
      { url: 'http://localhost', description: 'over the socket that `dripstone ui` names' },
    ],
    paths,
    components: { schemas: shared(routes) },
  };
}
