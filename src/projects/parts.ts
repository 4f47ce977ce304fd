/** Projects that became part of another project. Pure. */
import type { Project } from '../types.js';

/**
 * The project that a project without folders became part of, else the project itself: agents may
 * still use the old slug.
 */
export function wholeOf(part: Project, known: readonly Project[]): Project {
  if (part.folders.length > 0) return part;
  const wholes = known.filter(
    ({ folders, aliases }) => folders.length > 0 && aliases.includes(part.slug),
  );
  return wholes.length === 1 ? wholes[0]! : part;
}

/** The projects that became part of this project. */
export function partsOf(project: Project | null, known: readonly Project[]): Project[] {
  return known.filter((part) => part !== project && wholeOf(part, known).id === project?.id);
}
