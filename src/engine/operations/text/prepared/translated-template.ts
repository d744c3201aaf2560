import { randomUUID } from 'node:crypto';
import type { BodyScan } from '../../../../formats/shared/request/body-scan.ts';
import { filledTexts } from './filled-texts.ts';
import { TextTemplate } from './text-template.ts';

/*
 * Finds the places of a request's texts in its translation. The texts themselves cannot show them: a client may write `"user"`, or the
 * upstream's model, which are elsewhere in the translation. So another request is translated, which differs only in its texts.
 */

/** A random text, which is never sent, so a client's request cannot contain it. */
const MARK = randomUUID();
const DIGITS = 2;

const { compare, indexOf } = Buffer.prototype;

/** Returns the same request with texts that occur nowhere else. Empty texts stay empty. */
export function markedRequest(scan: BodyScan): Uint8Array<ArrayBuffer> {
  const texts = filledTexts(scan);
  const marks = marksOf(texts.length / 2);
  const contents: number[] = [];
  let at = 0;
  for (const mark of marks) {
    contents.push(at, at + mark.length);
    at += mark.length;
  }
  return TextTemplate.around(scan.bytes, texts).filled({ bytes: Buffer.concat(marks), contents });
}

/**
 * Makes the template of a translated request.
 *
 * @param sent the translation of the request that `scan` has scanned
 * @param marked the translation of its `markedRequest`
 * @returns `null` if the texts are not sent as they are, in the same order and once each, or if the translations differ elsewhere
 */
export function translatedTemplate(scan: BodyScan, sent: Uint8Array, marked: Uint8Array): TextTemplate | null {
  const marks = marksOf(filledTexts(scan).length / 2);
  const places: number[] = [];
  let from = 0;
  for (const mark of marks) {
    const at = indexOf.call(marked, mark, from);
    if (at < 0) return null;
    from = at + mark.length;
    places.push(at, from);
  }
  if (occurrences(marked) !== marks.length) return null;
  const template = TextTemplate.around(marked, places);
  return compare.call(template.filled(scan), sent) === 0 ? template : null;
}

function marksOf(count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, index) => Buffer.from(`"${MARK}.${String(index).padStart(DIGITS, '0')}"`));
}

function occurrences(bytes: Uint8Array): number {
  let count = 0;
  for (let at = indexOf.call(bytes, MARK); at >= 0; at = indexOf.call(bytes, MARK, at + MARK.length)) count++;
  return count;
}
