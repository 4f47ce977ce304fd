export { createRedactor, type RedactOptions, type Redactor } from './redactor.js';
export { reduceMarks } from './mark.js';
