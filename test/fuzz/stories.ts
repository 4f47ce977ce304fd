/**
 * `make fuzz ARGS="60 7"` (seconds, seed): random histories of one person, read whole, a file a run
 * in either order, and cut with runs between. Exits 1 when a reading publishes other bytes than the
 * whole one.
 */
import { plansOf, storyOf, wholePlan } from '../jobs/stories.js';
import { readStory } from '../jobs/story-reading.js';

const [seconds = 60, seed = 7] = process.argv.slice(2).map(Number);
const end = performance.now() + seconds * 1000;
let [stories, failures] = [0, 0];
for (let each = seed * 1000; performance.now() < end; each++, stories++) {
  const logs = storyOf(each);
  const whole = await readStory(logs, wholePlan(logs));
  for (const [name, plan] of Object.entries(plansOf(logs, each, 2))) {
    const read = await readStory(logs, plan);
    const differing = [...new Set([...Object.keys(whole), ...Object.keys(read)])].filter(
      (path) => whole[path] !== read[path],
    );
    if (differing.length === 0) continue;
    failures++;
    console.log(`story ${each}, read ${name}: other bytes in ${differing.join(', ')}`);
  }
}
console.log(JSON.stringify({ seed, seconds, stories, failures }));
process.exitCode = failures === 0 ? 0 : 1;
