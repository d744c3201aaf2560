import { describe, expect, test } from 'bun:test';
import { type Upload, Uploads } from './uploads.ts';

/** A clock that lets seconds pass, with a number of bytes arriving in each. */
function clock() {
  let nowMs = 0;
  const uploads = new Uploads(() => nowMs);
  const pass = (seconds: number, each: () => void = () => undefined) => {
    for (let second = 0; second < seconds; second++) {
      nowMs += 1_000;
      each();
      uploads.look();
    }
  };
  return { uploads, pass };
}

const codeOf = ({ failure }: Upload) => failure?.code ?? null;

describe('a slow upload', () => {
  test('lasts half an hour at the minimum rate, and no longer', () => {
    const { uploads, pass } = clock();
    const upload = uploads.begin('acme');
    pass(1_799, () => upload.received(1_024));
    expect(codeOf(upload)).toBeNull();
    pass(2, () => upload.received(1_024));
    expect([codeOf(upload), upload.failure?.status]).toEqual(['request_timeout', 408]);
  });

  test('may repeatedly pause for a minute', () => {
    const { uploads, pass } = clock();
    const upload = uploads.begin('acme');
    for (let pause = 0; pause < 20; pause++) {
      pass(60);
      upload.received(100_000);
      pass(1);
    }
    expect(codeOf(upload)).toBeNull();
  });

  test.each([
    ['that sends nothing', 0],
    ['that sends a byte a second', 1],
    ['that sends half of the least rate', 512],
  ])('%s is ended within three minutes', (_name, bytes) => {
    const { uploads, pass } = clock();
    const upload = uploads.begin('acme');
    let stops = 0;
    upload.stop = () => stops++;
    pass(60, () => upload.received(bytes));
    expect(codeOf(upload)).toBeNull();
    pass(130, () => upload.received(bytes));
    expect([codeOf(upload), stops]).toEqual(['request_timeout', 1]);
  });

  test('gets no credit for fast data at the start', () => {
    const { uploads, pass } = clock();
    const upload = uploads.begin('acme');
    upload.received(50_000_000);
    pass(95);
    expect(codeOf(upload)).toBe('request_timeout');
  });
});

describe('the slow uploads of one account', () => {
  test('are limited to a hundred; other accounts and fast uploads are not affected', () => {
    const { uploads, pass } = clock();
    const theirs = uploads.begin('globex');
    const early = Array.from({ length: 100 }, () => uploads.begin('acme'));
    pass(6);
    const late = uploads.begin('acme');
    const quick = Array.from({ length: 1_000 }, () => uploads.begin('acme'));
    pass(2);
    for (const upload of quick) uploads.over(upload);
    pass(10);
    expect([theirs, ...early, ...quick].every((upload) => upload.failure === null)).toBe(true);
    expect([codeOf(late), late.failure?.kind]).toEqual(['rate_limit_exceeded', 'account_uploads']);
    const [first] = early;
    if (first) uploads.over(first);
    uploads.over(late);
    const next = uploads.begin('acme');
    pass(10);
    expect(codeOf(next)).toBeNull();
  });
});
