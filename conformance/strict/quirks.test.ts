import { describe, expect, test } from 'bun:test';
import type { Quirk } from '../../src/formats/text/quirk.ts';
import { judgeOf, type Place, placeOf, topicOf } from './ablation.ts';
import { strictUpstreams } from './index.ts';
import { unjudged, unjudgedEntry } from './unjudged.ts';

/*
 * Each quirk of a provider with a strict upstream has a rule: without the quirk, the upstream refuses a request that it
 * accepts with it. Quirks without a published refusal are listed in `unjudged.ts`, each with its reason.
 */

const places = strictUpstreams.flatMap((upstream) => placeOf(upstream) ?? []);
/** A provider may have several strict upstreams, each for some of its models. Its quirks are tested at all of them. */
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
  test('has a rule or a listed reason for each quirk', async () => {
    const withoutRule: Quirk[] = [];
    for (const quirk of new Set(place.quirks)) {
      // No request depends on a feature that goes beyond the format.
      if (quirk.kind !== 'has' && !(await hasRule(place, quirk))) withoutRule.push(quirk);
    }
    expect(withoutRule.filter((quirk) => unjudgedEntry(name, quirk) === undefined).map(shown)).toEqual([]);
    const topics = new Set(withoutRule.map(topicOf));
    const stale = unjudged.filter(({ upstream, topic }) => upstream === name && !topics.has(topic));
    expect(stale).toEqual([]);
  });
});

test('entries without a rule name existing strict upstreams', () => {
  const names = new Set(firsts.map(({ upstream }) => upstream.name));
  expect(unjudged.filter(({ upstream }) => !names.has(upstream))).toEqual([]);
});
