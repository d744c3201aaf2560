import { expect, test } from 'bun:test';
import { strictBed } from '../bed.ts';
import { isOfFamily } from '../rule.ts';
import { describeGeminiModels, UPSTREAMS } from './models.ts';

/*
 * Requests in the other client formats become requests that Gemini accepts, at Google and at Vertex AI. `acceptance/sweeps` asks every model
 * family; these are the first and the last model of each upstream.
 */

describeGeminiModels(
  strictBed(UPSTREAMS),
  UPSTREAMS.flatMap(({ name, models }) => [models.at(0), models.at(-1)].map((id) => `${name}/${id}`)),
);

test('each model family with rules has a model', () => {
  for (const { models, rules } of UPSTREAMS) {
    for (const rule of rules) expect(models.some((id) => isOfFamily(rule, id))).toBe(true);
  }
});
