import { describe, expect, test } from 'bun:test';
import type { Quirk } from '../../src/formats/quirk.ts';
import { judgeOf, type Place, placeOf, topicOf } from './ablation.ts';
import { strictUpstreams } from './index.ts';
import { unjudged, unjudgedEntry } from './unjudged.ts';

/*
 * Each quirk of a provider that has a strict upstream is there for a rule: without the quirk, the upstream refuses a request that it
 * takes with the quirk. A quirk that no published refusal is known for stands in `unjudged.ts`, with the reason why it is there.
 */

const places = strictUpstreams.flatMap((upstream) => placeOf(upstream) ?? []);
/** A provider may have a strict upstream for some of its models alone. Its quirks are looked for at all of its upstreams. */
const isBeside = ({ upstream, provided }: Place, other: Place) =>
  provided === other.provided && upstream.server === other.upstream.server;
const firsts = places.filter((place, index) => !places.slice(0, index).some((other) => isBeside(place, other)));

async function hasRule(place: Place, quirk: Quirk): Promise<boolean> {
  for (const beside of places.filter((other) => isBeside(place, other))) {
    if ((await judgeOf(beside, quirk)) !== null) return true;
  }
  return false;
}

const shown = (quirk: Quirk) => `${topicOf(quirk)} (${quirk.models ?? 'all models'}): ${quirk.why}`;

describe.each(firsts.map((place) => [place.upstream.name, place] as const))('%s', (name, place) => {
  test('has a rule for each quirk, or says why there is none', async () => {
    const withoutRule: Quirk[] = [];
    for (const quirk of new Set(place.quirks)) {
      // A feature that is there beyond the norm of the format is not needed for any request to be taken.
      if (quirk.kind !== 'has' && !(await hasRule(place, quirk))) withoutRule.push(quirk);
    }
    expect(withoutRule.filter((quirk) => unjudgedEntry(name, quirk) === undefined).map(shown)).toEqual([]);
    const topics = new Set(withoutRule.map(topicOf));
    const stale = unjudged.filter(({ upstream, topic }) => upstream === name && !topics.has(topic));
    expect(stale).toEqual([]);
  });
});

test('entries without a rule name strict upstreams that there are', () => {
  const names = new Set(firsts.map(({ upstream }) => upstream.name));
  expect(unjudged.filter(({ upstream }) => !names.has(upstream))).toEqual([]);
});
