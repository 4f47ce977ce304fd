/** notes.md: the person's and agents' own page; only its head is ours, written once. */

import { nameOf } from './neutralise.js';

/** @param project null for the global notes */
export const renderNotesHead = (project: { name: string } | null): string => {
  const whose = project === null ? 'every project' : (nameOf(project.name) ?? 'this project');
  return `> Summary: own notes on ${whose}, written by people and agents; dripstone reads this file and never rewrites it.\n> Keywords: notes\n\n`;
};
