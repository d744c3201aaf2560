import { describe, expect, test } from 'bun:test';
import { GrowingObject } from './growing-object.ts';

/** Returns whether the object is complete after each of the pieces. */
function wholeAfter(...pieces: readonly string[]): readonly boolean[] {
  const object = new GrowingObject();
  return pieces.map((piece) => {
    object.push(piece);
    return object.isWhole();
  });
}

describe('an object in pieces', () => {
  test.each([
    [
      ['{', '"a"', ':1', '}'],
      [false, false, false, true],
    ],
    [
      [' {}', ' ', '\n'],
      [true, true, true],
    ],
    [
      ['{"a":"}', '\\"', '\\\\"', '}'],
      [false, false, false, true],
    ],
    [
      ['{"a":[{"b":{}}', ']', '}'],
      [false, false, true],
    ],
    [
      ['{"a":"\\', '"}', '"}'],
      [false, false, true],
    ],
    // Anything that is not an object, or continues after one, never becomes complete.
    [
      ['{}', '{}', '}'],
      [true, false, false],
    ],
    [
      ['[]', '{}'],
      [false, false],
    ],
    [
      ['1', '}'],
      [false, false],
    ],
    [
      ['{a}', ''],
      [false, false],
    ],
    [
      ['{"a":1]', '}'],
      [false, false],
    ],
    [
      ['', ''],
      [false, false],
    ],
  ])('%j', (pieces, whole) => {
    expect(wholeAfter(...pieces)).toEqual(whole);
  });

  test('is complete at the same place, however it is cut', () => {
    const text = '{"a":"}\\"{","b":[1,{"c":"\\\\"}],"d":{}}';
    const object = new GrowingObject();
    for (const [index, character] of [...text].entries()) {
      object.push(character);
      expect(object.isWhole()).toBe(index === text.length - 1);
    }
  });
});
