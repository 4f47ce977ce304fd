/** `dripstone ui --export`: lessons and pages as plain files that any browser opens: no script, nothing from elsewhere. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { html } from 'hono/html';
import { type App, createApp } from '../app.js';
import { type Io, printJson } from '../commands/command.js';
import { byWeight, lessonJson } from '../commands/lessons/read.js';
import { EXIT, type ExitCode, visible } from '../errors.js';
import { readContext } from '../recall/context-file.js';
import { loadLessons, loadProjects, publishFile } from '../store/index.js';
import { isShown, type Lesson, type Project } from '../types.js';

type Html = ReturnType<typeof html>;

/** Text of a log or a person: nothing in it is a sign of ours, and what would turn it around is shown. */
function said(text: string): Html {
  return html`<bdi>${visible(text)}</bdi>`;
}

async function page(title: string, body: Html): Promise<string> {
  return String(
    await html`<!doctype html>
      <html lang="en">
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'" />
        <title>${title}</title>
        <link rel="stylesheet" href="style.css" />
        <main>${body}</main>
      </html> `,
  );
}

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 70ch; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; }
small { opacity: 0.8; }
li { margin: 0.6rem 0; }
`;

/** Writes one page of lessons and one of context.md for each project, and an index. */
export async function writeStatic(io: Io, folder: string, json: boolean): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const target = resolve(io.cwd, folder);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const { projects, lessons } = await app.store.read(async (db) => ({
    projects: await loadProjects(db),
    lessons: await loadLessons(db),
  }));
  const owners = [null, ...projects.filter((project) => project.folders.length > 0)];
  for (const owner of owners) {
    const own = lessons.filter((lesson) => lesson.project === (owner?.id ?? null) && isShown(lesson));
    await publishFile(join(target, `${nameOf(owner)}.html`), await projectPage(app, owner, own));
  }
  await publishFile(join(target, 'style.css'), STYLE);
  await publishFile(join(target, 'index.html'), await indexPage(owners));
  if (json) printJson(io, { path: target, projects: owners.length - 1 });
  else io.out(`written: ${join(target, 'index.html')}\n`);
  return EXIT.done;
}

/** No slug has a name of ours: a project may be called `index`. */
function nameOf(owner: Project | null): string {
  return owner === null ? 'everywhere' : `project-${owner.slug}`;
}

function indexPage(owners: readonly (Project | null)[]): Promise<string> {
  const links = owners.map(
    (owner) => html`<li><a href="${nameOf(owner)}.html">${said(owner?.name ?? 'true everywhere')}</a></li>`,
  );
  return page(
    'dripstone',
    html`<h1>What is remembered</h1>
      <ul>
        ${links}
      </ul>`,
  );
}

async function projectPage(app: App, owner: Project | null, lessons: readonly Lesson[]): Promise<string> {
  const rows = [...lessons].sort(byWeight).map(lessonRow);
  const title = owner?.name ?? 'true everywhere';
  const context = readContext(app.paths, owner).text;
  return page(
    title,
    html`<p><a href="index.html">all</a></p>
      <h1>${said(title)}</h1>
      <h2>context.md</h2>
      <pre>${said(context)}</pre>
      <h2>Lessons</h2>
      <ul>
        ${rows}
      </ul>`,
  );
}

function lessonRow(lesson: Lesson): Html {
  const { kind, confidence, said_by: by, status, pinned, first_seen: first, last_seen: last } = lessonJson(lesson, new Map());
  const marks = [kind, `confidence ${confidence.toFixed(2)}`, `${by} said`, status, ...(pinned ? ['pinned'] : [])].join(' · ');
  const quotes = lesson.evidence.map(
    (event) => html`<li>${event.supports ? 'for' : 'against'}, ${event.day}, ${event.agent}: ${said(event.quote)}</li>`,
  );
  return html`<li id="${lesson.id}">
    ${said(lesson.text)}<br /><small>${marks} · ${first ?? '?'} to ${last ?? '?'}</small>
    <details>
      <summary>evidence</summary>
      <ul>
        ${quotes}
      </ul>
    </details>
  </li>`;
}
