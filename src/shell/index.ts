export { type Form, formOf, generalForm, plainEnv } from './form.js';
export { type Joint, type Step, splitShell } from './parse.js';
export { cleanPath, isAbsolute, isHome, isTemporary, placeIn, rootsOf, slashed } from './paths.js';
export { filesShown, filesWritten, isSecretPath } from './secret-files.js';
export { isKnownTool, isOfSystem, isProbe, isProgram, patternOf, usualClass } from './tools.js';
