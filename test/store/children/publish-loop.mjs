// Publishes files of one repeated letter, for ever or `times`.
import { publishFile } from '../../../dist/store/index.js';

const [path, size, times] = process.argv.slice(2);
console.log('start');
try {
  for (let i = 0; i < Number(times ?? Infinity); i++) {
    const letter = String.fromCharCode(97 + (i % 26));
    await publishFile(path, letter.repeat(Number(size)));
    console.log(`published ${i}`);
  }
} catch (error) {
  console.log(`failed ${error.code}`);
}
