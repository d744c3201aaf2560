import { describe, expect, test } from 'bun:test';
import { testCarriedRequests } from '../../conformance/requests/carried-requests.ts';
import { DEFAULTS } from '../../conformance/requests/default-values.ts';
import { LEFT_OUT, STRUCTURE } from '../../conformance/requests/equivalences.ts';
import { rareRequests, recordedRequests } from '../../conformance/requests/recorded-requests.ts';
import { allExchanges } from '../../conformance/shared/recordings.ts';

describe('requests of every exchange', () => {
  const verdicts = testCarriedRequests([...recordedRequests(allExchanges()), ...rareRequests()]);

  test('needs each declared equivalence', () => {
    const used = new Set(verdicts().flatMap(({ leaves }) => [...(leaves?.equivalences.keys() ?? [])]));
    const unused = [LEFT_OUT, ...STRUCTURE, ...DEFAULTS].filter(({ name }) => !used.has(name));
    expect(unused.map(({ name }) => name)).toEqual([]);
  });
});
