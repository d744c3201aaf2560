import { expect, test } from 'bun:test';
import type { Samples } from '../fuzz/samples.ts';
import { parseJson } from '../shared/json.ts';
import { differenceOfStream, differenceOfWhole, isAnswer } from './check-zeros.ts';
import { learnFields } from './documents.ts';
import { type Fields, noFields } from './published-fields.ts';
import { missingPaths } from './with-zeros.ts';

const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'cohere-chat', 'bedrock-converse'];
const ZEROS = ['zero', 'null', 'empty'] as const;

export interface ZeroValuesOptions {
  /** Only every `stride`th member of a stream's events is tried on its own. */
  readonly stride: number;
  /** Returns the known fields besides those of the samples. */
  readonly fieldsOf?: (format: string, kind: 'whole' | 'stream') => Fields;
}

/**
 * Servers in Go, Rust and Java write every member of a response, with the zero of its type if it is not used. These
 * tests add each known member to every object of a response with its zero, all at once and one at a time; what the
 * gateway reads, charges and sends to clients must not change.
 */
export function testZeroValues(samples: Samples, { stride, fieldsOf = () => noFields('object') }: ZeroValuesOptions) {
  test.each(FORMATS)(
    'change nothing in a whole response of %s',
    (format) => {
      const fields = learnFields(fieldsOf(format, 'whole'), format, 'whole', samples);
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
    600_000,
  );

  test.each(FORMATS)(
    'change nothing in a stream of %s',
    (format) => {
      const fields = learnFields(fieldsOf(format, 'stream'), format, 'stream', samples);
      const found = new Set<string>();
      const streams = samples.streams.filter((sample) => sample.format === format);
      expect(streams.length).toBeGreaterThan(0);
      for (const [number, sample] of streams.entries()) {
        const paths = new Set<string>();
        for (const { data } of sample.events) missingPaths(parseJson(data), fields, '', paths);
        const some = [...paths].filter((_, index) => (index + number) % stride === 0);
        for (const wanted of ['all', ...some]) {
          for (const zeros of ZEROS) {
            const difference = differenceOfStream(sample, fields, zeros, wanted);
            if (difference !== null) found.add(`${zeros} of ${wanted} in ${sample.name}: ${difference}`);
          }
        }
      }
      expect([...found]).toEqual([]);
    },
    600_000,
  );
}
