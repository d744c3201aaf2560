import { describe, expect, test } from 'bun:test';
import type { Quirk } from '../../src/formats/quirk.ts';
import { judgeOf, placeOf, topicOf } from './ablation.ts';
import { strictUpstreams } from './index.ts';
import { unjudged, unjudgedEntry } from './unjudged.ts';

/*
 * Each quirk of a provider that has a strict upstream is there for a rule: without the quirk, the upstream refuses a request that it
 * takes with the quirk. A quirk that no published refusal is known for stands in `unjudged.ts`, with the reason why it is there.
 */

const places = strictUpstreams.flatMap((upstream) => placeOf(upstream) ?? []);
const shown = (quirk: Quirk) => `${topicOf(quirk)} (${quirk.models ?? 'all models'}): ${quirk.why}`;

describe.each(places.map((place) => [place.upstream.name, place] as const))('%s', (name, place) => {
  test('has a rule for each quirk, or says why there is none', async () => {
    const withoutRule: Quirk[] = [];
    for (const quirk of new Set(place.quirks)) {
      // A feature that is there beyond the norm of the format is not needed for any request to be taken.
      if (quirk.kind !== 'has' && (await judgeOf(place, quirk)) === null) withoutRule.push(quirk);
    }
    expect(withoutRule.filter((quirk) => unjudgedEntry(name, quirk) === undefined).map(shown)).toEqual([]);
    const topics = new Set(withoutRule.map(topicOf));
    const stale = unjudged.filter(({ upstream, topic }) => upstream === name && !topics.has(topic));
    expect(stale).toEqual([]);
  });
});

test('entries without a rule name strict upstreams that there are', () => {
  const names = new Set(places.map(({ upstream }) => upstream.name));
  expect(unjudged.filter(({ upstream }) => !names.has(upstream))).toEqual([]);
});
