import { parseArgs } from 'node:util';
import type { StoredQuestion } from '../src/engine/ports/cache-store.ts';
import { sleep } from '../src/main/system.ts';
import { direction, near, randomFrom } from '../src/semantic-cache/question-index/testing/vectors.ts';
import { ThreadedQuestionIndex } from '../src/semantic-cache/question-index/threaded-question-index.ts';
import { percentile } from './statistics.ts';

/*
 * The cost of finding the nearest of very many questions in one partition of the semantic cache: the time until the answer, the delays of a
 * timer in the asking thread that is due every millisecond, the time to load the partition, and the memory. Then the same for similar
 * questions only, the expensive case, in which bit codes separate little. `bun bench/semantic-index.ts [--questions 100000] [--dimensions 512]
 * [--look-ups 2000] [--small 100000]`; takes a minute. Run it with `taskset -c 0` to make both threads share one core.
 */

const { values: options } = parseArgs({
  options: {
    questions: { type: 'string', default: '100000' },
    dimensions: { type: 'string', default: '512' },
    'look-ups': { type: 'string', default: '2000' },
    small: { type: 'string', default: '100000' },
  },
});
const QUESTIONS = Number(options.questions);
const DIMENSIONS = Number(options.dimensions);
const LOOK_UPS = Number(options['look-ups']);
const SMALL = Number(options.small);
const TOPICS = 1_000;
const OF = { most: 5, least: 0.75 };
const INDEX_BYTES = 2 ** 31;
const random = randomFrom(1);

/** Returns vectors distributed like sentences: any two have something in common (here a cosine of 0.14), two of one topic more (0.6). */
function diverseQuestions(): () => Float32Array {
  const common = direction(DIMENSIONS, random);
  const topics = Array.from({ length: TOPICS }, () => near(common, 0.48, random));
  return () => near(topics[Math.floor(TOPICS * random())] ?? common, 0.775, random);
}

/** Returns vectors like those of one template with different fillings. */
function alikeQuestions(): () => Float32Array {
  const common = direction(DIMENSIONS, random);
  return () => near(common, 0.95, random);
}

function storedQuestions(partition: string, count: number, make: () => Float32Array): readonly StoredQuestion[] {
  // A store's vectors do not share one buffer, but this way the garbage collector does not affect the measured memory.
  const vectors = new Float32Array(count * DIMENSIONS);
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.subarray(index * DIMENSIONS, (index + 1) * DIMENSIONS);
    vector.set(make());
    return { key: `${partition}${index}`.padEnd(43, '-'), partition, vector };
  });
}

/** Waits until freed memory has been returned to the operating system. */
async function residentBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    Bun.gc(true);
    await Bun.sleep(500);
  }
  return process.memoryUsage.rss();
}

/** Runs a timer that is due every millisecond during `work`, and resolves to its delays. */
async function timerDelays(work: () => Promise<unknown>): Promise<readonly number[]> {
  const delaysMs: number[] = [];
  let isOver = false;
  let dueMs = performance.now() + 1;
  const tick = () => {
    const nowMs = performance.now();
    delaysMs.push(nowMs - dueMs);
    if (isOver) return;
    dueMs = nowMs + 1;
    setTimeout(tick, 1);
  };
  setTimeout(tick, 1);
  await work();
  await Bun.sleep(2);
  isOver = true;
  return delaysMs;
}

function describe(valuesMs: readonly number[]): string {
  const at = (rank: number) => percentile(valuesMs, rank).toFixed(2);
  return `p50 ${at(50)} ms, p99 ${at(99)} ms, max ${at(100)} ms`;
}

function report(what: string, value: string): void {
  console.log(`  ${what.padEnd(34)}${value}`);
}

/** Asks until the answer arrives in time. */
async function loaded(index: ThreadedQuestionIndex, partition: string, vector: Float32Array): Promise<void> {
  while ((await index.nearest(partition, vector, OF)) === null);
}

async function measure(name: string, questions: readonly StoredQuestion[]): Promise<void> {
  const empty = new Float32Array(DIMENSIONS).fill(1);
  const index = new ThreadedQuestionIndex({
    sleep,
    store: {
      questions: async (partition) => (partition === 'empty' ? [] : questions),
      listen: () => undefined,
    },
    logger: { warn: console.warn },
    indexBytes: INDEX_BYTES,
  });
  console.log(`${questions.length} questions with ${DIMENSIONS} dimensions, ${name}`);
  const withoutThread = await residentBytes();
  await loaded(index, 'empty', empty);
  const withThread = await residentBytes();
  report('memory of the thread', `${((withThread - withoutThread) / 2 ** 20).toFixed(0)} MiB`);
  const startedMs = performance.now();
  const delays = await timerDelays(() => loaded(index, questions[0]?.partition ?? '', empty));
  report('loading', `${((performance.now() - startedMs) / 1_000).toFixed(2)} s; timer delay ${describe(delays)}`);
  const { bytes } = index.statistics();
  const measured = ((await residentBytes()) - withThread) / questions.length;
  report('memory per question', `${measured.toFixed(0)} B, counted as ${(bytes / questions.length).toFixed(0)} B`);
  const asked = Array.from({ length: LOOK_UPS }, () => {
    const { partition, vector } = questions[Math.floor(questions.length * random())] as StoredQuestion;
    return { partition, vector: near(vector, 0.8 + 0.2 * random(), random) };
  });
  const timesMs: number[] = [];
  const lookUps = await timerDelays(async () => {
    for (const { partition, vector } of asked) {
      const beganMs = performance.now();
      const found = await index.nearest(partition, vector, OF);
      timesMs.push(performance.now() - beganMs);
      if (found === null) throw new Error('A lookup had no result.');
    }
  });
  report('lookups, sequential', describe(timesMs));
  report('timer delay meanwhile', describe(lookUps));
  await index.close();
}

async function measureSmall(): Promise<void> {
  const make = diverseQuestions();
  const vectors = Array.from({ length: 1_000 }, make);
  const index = new ThreadedQuestionIndex({
    sleep,
    store: {
      questions: async (partition) => [{ key: partition, partition, vector: vectors[0] as Float32Array }],
      listen: () => undefined,
    },
    logger: { warn: console.warn },
    indexBytes: INDEX_BYTES,
  });
  console.log(`${SMALL} partitions with one question each`);
  await loaded(index, 'first', vectors[0] as Float32Array);
  const before = await residentBytes();
  const timesMs: number[] = [];
  for (let number = 0; number < SMALL; number++) {
    const beganMs = performance.now();
    await index.nearest(`${number}`.padEnd(43, '-'), vectors[number % vectors.length] as Float32Array, OF);
    timesMs.push(performance.now() - beganMs);
  }
  const measured = ((await residentBytes()) - before) / SMALL;
  report('lookups that load', describe(timesMs));
  report(
    'memory per partition',
    `${measured.toFixed(0)} B, counted as ${(index.statistics().bytes / SMALL).toFixed(0)} B`,
  );
  await index.close();
}

const idle = await timerDelays(() => Bun.sleep(2_000));
console.log('Idle');
report('timer delay', describe(idle));
await measure('all different', storedQuestions('diverse', QUESTIONS, diverseQuestions()));
await measure('all similar', storedQuestions('alike', QUESTIONS, alikeQuestions()));
await measureSmall();
