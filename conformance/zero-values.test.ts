import { describe, expect, test } from 'bun:test';
import { loadSamples } from './fuzz/samples.ts';
import { documentsMissing } from './judges/documents.ts';
import { parseJson } from './shared/json.ts';
import { differenceOfStream, differenceOfWhole, isAnswer } from './zero-values/check-zeros.ts';
import { fieldsOf } from './zero-values/documents.ts';
import { missingPaths } from './zero-values/with-zeros.ts';

/*
 * Servers in Go, Rust and Java write every member of an answer, with the zero of its type where there is nothing to say. To
 * every object of an answer each member that the published documents (and other recordings) know is added with its zero,
 * all at once and each alone; what the gateway reads, charges and sends to clients stays as it was.
 */

const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'cohere-chat', 'bedrock-converse'];
const ZEROS = ['zero', 'null', 'empty'] as const;
/** Of the recordings, and of the members of a stream's events; every one of them takes minutes (`STRIDE=1`). */
const STRIDE = Number(process.env.STRIDE ?? 16);

const missing = documentsMissing();

describe.skipIf(missing !== undefined)(`members with their zero value ${missing ?? ''}`, () => {
  const samples = loadSamples(STRIDE);

  test.each(FORMATS)(
    'say nothing in a whole answer of %s',
    (format) => {
      const fields = fieldsOf(format, 'whole', samples);
      const found = new Set<string>();
      const answers = samples.answers.filter((sample) => sample.format === format && isAnswer(sample));
      expect(answers.length).toBeGreaterThan(0);
      for (const sample of answers) {
        for (const wanted of ['all', ...missingPaths(sample.body, fields)]) {
          for (const zeros of ZEROS) {
            const difference = differenceOfWhole(sample, fields, zeros, wanted);
            if (difference !== null) found.add(`${zeros} of ${wanted} in ${sample.name}: ${difference}`);
          }
        }
      }
      expect([...found]).toEqual([]);
    },
    120_000,
  );

  test.each(FORMATS)(
    'say nothing in a stream of %s',
    (format) => {
      const fields = fieldsOf(format, 'stream', samples);
      const found = new Set<string>();
      const streams = samples.streams.filter((sample) => sample.format === format);
      expect(streams.length).toBeGreaterThan(0);
      for (const [number, sample] of streams.entries()) {
        const paths = new Set<string>();
        for (const { data } of sample.events) missingPaths(parseJson(data), fields, '', paths);
        const some = [...paths].filter((_, index) => (index + number) % STRIDE === 0);
        for (const wanted of ['all', ...some]) {
          for (const zeros of ZEROS) {
            const difference = differenceOfStream(sample, fields, zeros, wanted);
            if (difference !== null) found.add(`${zeros} of ${wanted} in ${sample.name}: ${difference}`);
          }
        }
      }
      expect([...found]).toEqual([]);
    },
    120_000,
  );
});
