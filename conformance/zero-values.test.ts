import { describe } from 'bun:test';
import { loadSamples } from './fuzz/samples.ts';
import { ownExchanges } from './shared/recordings.ts';
import { testZeroValues } from './zero-values/zero-values.ts';

/* Members with their zero value: those that one of the project's own exchanges has, in all others. */

describe('members with their zero value', () => testZeroValues(loadSamples(ownExchanges()), { stride: 8 }));
