/**
 * Turns lessons into the files that agents and people read. Pure: equal lessons give equal bytes.
 */

export { renderAgentsSection } from './agents-section.js';
export { renderDetail } from './detail.js';
export { emptyContext, headLines } from './frame.js';
export { renderEpisodes, sessionsNamed } from './episodes.js';
export { DETAIL_FILES, type DetailFile } from './index-line.js';
export { deniedIn, whyNoLine } from './lines.js';
export { namedIn, type NamedInTree } from './named.js';
export { neutralise, withoutChat } from './neutralise.js';
export { renderNotesHead } from './frame.js';
export { isForThePage } from './rank.js';
export { renderContext, type RenderedContext } from './render.js';
export { NEWEST_SESSIONS, type Session } from './recent.js';
