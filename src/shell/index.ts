export { type Form, formOf, generalForm, plainEnv } from './form.js';
export { type Step, splitShell } from './parse.js';
export { isAbsolute, isHome, placeIn, rootsOf, slashed } from './paths.js';
export { filesShown, filesWritten, isSecretPath } from './secret-files.js';
export { isKnownTool, isOfSystem, isProbe, isProgram, patternOf, usualClass } from './tools.js';
