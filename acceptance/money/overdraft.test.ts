import { describe } from 'bun:test';
import { describeOverdraft } from '../../conformance/money/overdraft.ts';
import { startProcessBed } from './bed.ts';

describe.each([1, 3])('with %d worker(s)', (workers) => {
  describeOverdraft({ start: (options) => startProcessBed({ ...options, workers }), atOnce: 600, paid: 210 });
});
