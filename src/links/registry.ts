/**
 * Reads and writes `links.json` in the home: the list of linked places for `unlink --all` and
 * `status --check`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const linkShape = z.object({
  /** Absolute folder; null for the files in the agents' own folders (`--global`). */
  repo: z.string().nullable(),
  /** Project whose context.md is linked; null for global/context.md. */
  slug: z.string().nullable(),
  files: z.array(z.object({ agent: z.string(), path: z.string() })),
  /** Folders that linking made; they are removed with the last file in them. */
  folders: z.array(z.string()),
  /** A copy is kept in `<repo>/.dripstone/`. */
  copy: z.boolean(),
  /** Settings files with the MCP server, and what was made for it. */
  servers: z
    .array(
      z.object({ agent: z.string(), path: z.string(), made: z.enum(['entry', 'servers', 'file']) }),
    )
    .optional(),
});

const registryShape = z.object({ version: z.literal(1), links: z.array(linkShape) });

export type Link = z.infer<typeof linkShape>;

/** Empty if the file is missing or cannot be read; `unlink` also finds marked lines without it. */
export function readLinks(path: string): Link[] {
  if (!existsSync(path)) return [];
  try {
    return registryShape.parse(JSON.parse(readFileSync(path, 'utf8'))).links;
  } catch {
    return [];
  }
}

function keyOf(link: Pick<Link, 'repo'>): string {
  return link.repo ?? '';
}

/** Sorted by folder, so that the order of linking has no effect. */
export function renderLinks(links: readonly Link[]): string {
  return `${JSON.stringify({ version: 1, links: [...links].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) }, null, 1)}\n`;
}

/** Replaces the link of the same folder, but keeps its files that are not linked again. */
export function addLink(links: readonly Link[], link: Link): Link[] {
  const old = links.find((each) => each.repo === link.repo);
  const others = links.filter((each) => each.repo !== link.repo);
  const files = [
    ...(old?.files ?? []).filter((file) => !link.files.some((each) => each.path === file.path)),
    ...link.files,
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  const added = link.servers ?? [];
  const earlier = (old?.servers ?? []).filter(
    (server) => !added.some((each) => each.path === server.path),
  );
  const servers = [...earlier, ...added].sort((a, b) => (a.path < b.path ? -1 : 1));
  return [
    ...others,
    {
      ...link,
      files,
      ...(servers.length > 0 && { servers }),
      folders: [...new Set([...(old?.folders ?? []), ...link.folders])].sort(),
    },
  ];
}

export function dropLink(links: readonly Link[], repo: string | null): Link[] {
  return links.filter((each) => each.repo !== repo);
}
