import { expect, test } from 'bun:test';
import { clientFormats } from '../../src/formats/index.ts';
import { applyEdits } from '../../src/formats/shared/json/json-patch.ts';
import { FORMATS, type Format } from '../judges/index.ts';
import { checkLeafRequest, describeLeafProblem } from '../leaves/check-leaf.ts';
import { parse } from '../leaves/in-process.ts';
import type { LeafRequest } from '../leaves/leaf-requests.ts';
import { changesOf, isObject, NAMES } from './changes.ts';

/** The number of leaves of each format's document that are tried, spread over it; the names take turns. */
const LEAVES = 16;
/** A name that no object inherits, for comparison. */
const PLAIN = 'plainName';

/** Tests that these names work like any other name in requests of each format, in leaves spread over its document. */
export function testInheritedNamesInRequests(leavesOf: (format: Format) => readonly LeafRequest[]): void {
  test.each(FORMATS)(
    'of %s, they work like any other name',
    async (format) => {
      const problems: string[] = [];
      let tried = 0;
      const leaves = leavesOf(format);
      const every = Math.ceil(leaves.length / LEAVES);
      for (const [index, leaf] of leaves.filter((_, place) => place % every === 0).entries()) {
        const name = NAMES[index % NAMES.length] ?? '';
        for (const [place, changed] of [...changesOf(leaf.body, name)].entries()) {
          tried++;
          const found = await problemsOf(leaf, changed);
          // An enum value of a document cannot be replaced by any name, whether or not it is inherited.
          const asPlain = found.length === 0 ? [] : await problemsOf(leaf, [...changesOf(leaf.body, PLAIN)][place]);
          const expected = asPlain.map((one) => one.replaceAll(PLAIN, name));
          problems.push(...found.filter((one) => !expected.includes(one)));
        }
      }
      expect(tried).toBeGreaterThan(20);
      expect(problems).toEqual([]);
      expect(Reflect.get({}, 'mark')).toBeUndefined();
    },
    600_000,
  );
}

async function problemsOf({ format, about }: LeafRequest, body: unknown): Promise<readonly string[]> {
  if (!isObject(body)) throw new Error('a request is an object');
  const parsed = parse(format, body);
  if ('kind' in parsed && parsed.kind === 'refused' && parsed.message.includes('is not a field name in any format'))
    return [];
  if ('kind' in parsed) return [`${about}: ${JSON.stringify(parsed)}`];
  const relayed = applyEdits(parsed.bytes, clientFormats.get(format)?.relayEdits(parsed, 'other') ?? []);
  JSON.parse(new TextDecoder().decode(relayed));
  return (await checkLeafRequest({ format, about, body })).map(describeLeafProblem);
}
