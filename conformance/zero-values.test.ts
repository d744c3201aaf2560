import { describe } from 'bun:test';
import { loadSamples } from './fuzz/samples.ts';
import { ownExchanges } from './shared/recordings.ts';
import { testZeroValues } from './zero-values/zero-values.ts';

/* Each member with a zero value that one of the project's own exchanges has, tried in all others. */

describe('members with a zero value', () => testZeroValues(loadSamples(ownExchanges()), { stride: 8 }));
