import { Failure } from '../../../domain/failure/failure.ts';
import { setMember } from '../json/record.ts';
import { BodyScan } from './body-scan.ts';
import type { FoundNames } from './governed-names.ts';

/** One interpretation of a form's text part, as the only member of an object. */
export interface ReadPart {
  readonly body: Readonly<Record<string, unknown>>;
  readonly names: FoundNames;
}

/** Further steps of a name are ignored. */
const MOST_STEPS = 16;
const INDEX = /^\d*$/;

const utf8 = new TextEncoder();

/**
 * Returns what an upstream may read in a text part: the text itself, and its value if it is JSON. Brackets and dots in the name
 * lead into objects (`provider[order][]`, as PHP, Rails and `qs` write them); indexes are dropped, because a list may also be a
 * single item. Fails (400, 413) for JSON that exceeds the bounds of a body.
 */
export function readPart(name: string, text: string): readonly ReadPart[] | Failure {
  const steps = name.split(/[[\].]+/, MOST_STEPS).filter((step, index) => index === 0 || !INDEX.test(step));
  const asText = { body: nested(steps, text), names: { duplicates: [], hasOddNames: true } };
  const json = readJson(text);
  if (json instanceof Failure) return json;
  if (json === null) return [asText];
  const duplicates = json.duplicates.map((path) => [...steps, ...path]);
  return [asText, { body: nested(steps, json.value), names: { duplicates, hasOddNames: true } }];
}

function nested(steps: readonly string[], value: unknown): Readonly<Record<string, unknown>> {
  const [first = '', ...rest] = steps;
  const object: Record<string, unknown> = {};
  setMember(object, first, rest.length === 0 ? value : nested(rest, value));
  return object;
}

function readJson(text: string) {
  if (!/^\s*[[{]/.test(text)) return null;
  const bytes = utf8.encode(text);
  const scan = new BodyScan(bytes, 0, null);
  scan.run(bytes.length);
  if (scan.failure !== null) return scan.failure;
  if (scan.isBroken) return null;
  try {
    const value: unknown = JSON.parse(text);
    return { value, duplicates: scan.duplicates };
  } catch {
    return null;
  }
}
