import { expect, test } from 'bun:test';
import { sampleRecord } from '../../../engine/ports/testing/samples.ts';
import { createContentBox } from '../content-box.ts';
import { openedLine, sealedLine } from './sealed-failure.ts';

const box = createContentBox('a secret');
const ANSWERED = sampleRecord({ failedAttempts: [], retryCount: 0 });
const ATTEMPT = { channelId: 'a', kind: 'http_500', latencyMs: 1 };
const FAILED = sampleRecord({
  told: { message: 'got "a prompt"', param: 'a', hint: 'Send b.', side: 'client' },
  requestedModel: 'a model of nobody',
  failedAttempts: [{ ...ATTEMPT, message: 'boom' }, ATTEMPT],
});

test('a line without texts stays the same object', () => {
  expect(sealedLine(ANSWERED, box)).toBe(ANSWERED);
  const failedSilently = sampleRecord({ failedAttempts: [ATTEMPT] });
  expect(sealedLine(failedSilently, box)).toBe(failedSilently);
  expect(openedLine(ANSWERED, box)).toEqual(ANSWERED);
});

test('the sealed texts hold everything, and nothing of it in plain', () => {
  const { sealedFailure = '' } = sealedLine(FAILED, box);
  expect(Buffer.from(sealedFailure, 'base64').toString('latin1')).not.toMatch(/prompt|boom|model/);
  const { told: _told, requestedModel: _model, ...rest } = FAILED;
  const stored = { ...rest, failedAttempts: [ATTEMPT, ATTEMPT], sealedFailure };
  expect(openedLine(stored, box)).toEqual(FAILED);
});

test('only a part of the texts may be there', () => {
  for (const line of [
    { ...ANSWERED, told: { message: 'No.' } },
    { ...ANSWERED, requestedModel: 'm' },
    { ...ANSWERED, failedAttempts: [{ ...ATTEMPT, message: 'boom' }] },
  ]) {
    const { sealedFailure } = sealedLine(line, box);
    const stored = { ...ANSWERED, failedAttempts: line.failedAttempts.map(() => ATTEMPT) };
    expect(openedLine({ ...stored, ...(sealedFailure !== undefined && { sealedFailure }) }, box)).toEqual(line);
  }
});

test('texts that were sealed with another secret, or for another line, are left out', () => {
  const { sealedFailure = '' } = sealedLine(FAILED, box);
  const line = { ...ANSWERED, sealedFailure };
  expect(openedLine(line, createContentBox('another secret'))).toEqual(ANSWERED);
  expect(openedLine({ ...line, requestId: 'other' }, box)).toEqual({ ...ANSWERED, requestId: 'other' });
});
