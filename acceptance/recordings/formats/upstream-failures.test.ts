import { expect, test } from 'bun:test';
import { readAnswerOf, recordingsFolder, rowsIn } from '../../../conformance/shared/recordings.ts';
import { cleanMessage } from '../../../src/formats/shared/failure/clean-message.ts';
import { decodeFailure } from '../../../src/formats/shared/failure/upstream-failure.ts';
import { recordedFile } from '../documents.ts';

const errors = rowsIn(recordingsFolder).filter(({ status }) => status >= 400);

test('every recorded 401 and 403 is classified', () => {
  const counts: Record<string, number> = {};
  for (const row of errors.filter(({ status }) => status === 401 || status === 403)) {
    const { headers, body } = readAnswerOf(row);
    const { kind } = decodeFailure(row.status, new Headers(headers), body);
    counts[`${row.status} ${kind}`] = (counts[`${row.status} ${kind}`] ?? 0) + 1;
  }
  expect(counts).toEqual({
    '401 upstream_auth': 33,
    '403 upstream_auth': 1,
    '403 forbidden': 1,
    '403 upstream_auth_expired': 7,
    '403 http_403': 5,
    '403 object_not_accessible': 1,
  });
});

/** Returns the text under the first key that holds one, without the decoder's knowledge of shapes. */
function saidIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (['message', 'msg', 'detail', 'error'].includes(key) && typeof inner === 'string') return inner;
  }
  for (const inner of Object.values(value)) {
    const found = saidIn(inner);
    if (found !== null) return found;
  }
  return null;
}

test('every recorded error message is found, without any key in it', () => {
  let checked = 0;
  for (const row of errors) {
    const { file, status } = row;
    const { headers, body } = readAnswerOf(row);
    const text = recordedFile(file).response;
    if (typeof text.body !== 'string' || text.body_encoding === 'base64' || text.body === '') continue;
    const failure = decodeFailure(status, new Headers(headers), body);
    let said: string | null = text.body;
    try {
      said = saidIn(JSON.parse(text.body));
    } catch {}
    expect(`${file}: ${said}`).not.toBe(`${file}: null`);
    expect(`${file}: ${failure.message}`).toContain(cleanMessage(said ?? '').slice(0, 500));
    expect(failure.message).not.toMatch(/sk-\w/);
    if (status === 401) expect(`${file}: ${failure.kind}`).toBe(`${file}: upstream_auth`);
    if (status === 404) expect(`${file}: ${failure.kind}`).toBe(`${file}: http_404`);
    checked += 1;
  }
  expect(checked).toBeGreaterThan(100);
});
